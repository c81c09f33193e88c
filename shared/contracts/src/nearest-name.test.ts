import { describe, expect, it } from 'vitest';
import { countSlips, listNames, nearestName } from './nearest-name.ts';

describe('slips', () => {
  it.each([
    ['port', 'port', 0],
    ['prot', 'port', 1],
    ['por', 'port', 1],
    ['porrt', 'port', 1],
    ['pork', 'port', 1],
    ['projct', 'projects', 2],
    ['', 'ab', 2],
  ])('between %s and %s are %i', (left, right, slips) => {
    expect(countSlips(left, right, 3)).toBe(slips);
  });

  it('are not counted above the limit', () => {
    expect(countSlips('kitten', 'sitting', 2)).toBe(3);
    expect(countSlips('a', 'abcdefgh', 2)).toBe(3);
  });
});

describe('nearestName', () => {
  it.each([
    ['shpo', 'shop'],
    ['Shop', 'shop'],
    ['sho', 'shop'],
    ['chekout', 'checkout'],
    ['check', 'checkout'],
  ])('%s stands for %s', (typed, meant) => {
    expect(nearestName(typed, ['blog', 'checkout', 'shop'])).toBe(meant);
  });

  it('guesses nothing from a name that resembles none', () => {
    expect(nearestName('payments', ['blog', 'shop'])).toBeNull();
    expect(nearestName('x', ['blog', 'shop'])).toBeNull();
  });
});

describe('listNames', () => {
  it('puts the likely name first', () => {
    expect(listNames('shpo', ['blog', 'shop'])).toBe('shop (did you mean this?), blog');
  });

  it('names ten and counts the rest', () => {
    const names = Array.from({ length: 14 }, (_, i) => `project-${String(i).padStart(2, '0')}`);
    expect(listNames('zzzzzzz', names)).toMatch(/project-09 and 4 more$/);
  });

  it('says so when there is none', () => {
    expect(listNames('shop', [])).toBe('none yet');
  });
});
