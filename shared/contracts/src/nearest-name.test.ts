import { describe, expect, it } from 'vitest';
import { countTypos, formatNameList, findNearestName } from './nearest-name.ts';

describe('countTypos', () => {
  it.each([
    ['port', 'port', 0],
    ['prot', 'port', 1],
    ['por', 'port', 1],
    ['porrt', 'port', 1],
    ['pork', 'port', 1],
    ['projct', 'projects', 2],
    ['', 'ab', 2],
  ])('%s and %s differ by %i slips', (left, right, slips) => {
    expect(countTypos(left, right, 3)).toBe(slips);
  });

  it('stops counting above the limit', () => {
    expect(countTypos('kitten', 'sitting', 2)).toBe(3);
    expect(countTypos('a', 'abcdefgh', 2)).toBe(3);
  });
});

describe('nearestName', () => {
  it.each([
    ['shpo', 'shop'],
    ['Shop', 'shop'],
    ['sho', 'shop'],
    ['chekout', 'checkout'],
    ['check', 'checkout'],
  ])('%s is taken for %s', (typed, meant) => {
    expect(findNearestName(typed, ['blog', 'checkout', 'shop'])).toBe(meant);
  });

  it('returns null for a name that resembles none', () => {
    expect(findNearestName('payments', ['blog', 'shop'])).toBeNull();
    expect(findNearestName('x', ['blog', 'shop'])).toBeNull();
  });
});

describe('listNames', () => {
  it('puts the likely name first', () => {
    expect(formatNameList('shpo', ['blog', 'shop'])).toBe('shop (did you mean this?), blog');
  });

  it('names ten and counts the rest', () => {
    const names = Array.from({ length: 14 }, (_, i) => `project-${String(i).padStart(2, '0')}`);
    expect(formatNameList('zzzzzzz', names)).toMatch(/project-09 and 4 more$/);
  });

  it('says "none yet" without names', () => {
    expect(formatNameList('shop', [])).toBe('none yet');
  });
});
