import { describe, expect, it } from 'vitest';
import { findClosest } from './spelling.ts';

describe('the closest known name', () => {
  const names = ['web-1', 'web-2', 'checkout-api', 'shop', 'Blog'];

  it.each([
    ['web-1', 'web-1'],
    ['WEB1', 'web-1'],
    ['web_2', 'web-2'],
    ['chekout-api', 'checkout-api'],
    ['checkuot-apii', 'checkout-api'],
    ['blog', 'Blog'],
    ['shpo', 'shop'],
  ])('for the typed word “%s” is “%s”', (word, name) => {
    expect(findClosest(word, names)).toBe(name);
  });

  it.each(['web-3', 'web', 'sho', 'completely', '', '---', '1'])('for the typed word “%s” does not exist', (word) => {
    expect(findClosest(word, names)).toBeNull();
  });

  it('does not exist when two known names are equally close', () => {
    expect(findClosest('shot', ['shop', 'show'])).toBeNull();
  });
});
