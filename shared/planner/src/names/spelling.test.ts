import { describe, expect, it } from 'vitest';
import { closest, typosBetween } from './spelling.ts';

describe('typing mistakes', () => {
  it.each([
    ['port', 'port', 0],
    ['prot', 'port', 1],
    ['por', 'port', 1],
    ['porrt', 'port', 1],
    ['pork', 'port', 1],
    ['projct', 'projects', 2],
    ['', 'ab', 2],
  ])('between %s and %s are %i', (left, right, typos) => {
    expect(typosBetween(left, right, 3)).toBe(typos);
  });

  it('are not counted above the limit', () => {
    expect(typosBetween('kitten', 'sitting', 2)).toBe(3);
    expect(typosBetween('a', 'abcdefgh', 2)).toBe(3);
  });
});

describe('the closest name', () => {
  const names = ['web-1', 'web-2', 'checkout-api', 'shop', 'Blog'];

  it.each([
    ['web-1', 'web-1'],
    ['WEB1', 'web-1'],
    ['web_2', 'web-2'],
    ['chekout-api', 'checkout-api'],
    ['checkuot-apii', 'checkout-api'],
    ['blog', 'Blog'],
    ['shpo', 'shop'],
  ])('to %s is %s', (word, name) => {
    expect(closest(word, names)).toBe(name);
  });

  it.each(['web-3', 'web', 'sho', 'completely', '', '---', '1'])('to “%s” is none', (word) => {
    expect(closest(word, names)).toBeNull();
  });

  it('is none when two are as near', () => {
    expect(closest('shot', ['shop', 'show'])).toBeNull();
  });
});
