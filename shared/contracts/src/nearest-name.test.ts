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
  ])('between “%s” and “%s” returns %i', (left, right, slips) => {
    expect(countTypos(left, right, 3)).toBe(slips);
  });

  it('returns one more than the limit when there are more typos than that', () => {
    expect(countTypos('kitten', 'sitting', 2)).toBe(3);
    expect(countTypos('a', 'abcdefgh', 2)).toBe(3);
  });
});

describe('findNearestName', () => {
  it.each([
    ['shpo', 'shop'],
    ['Shop', 'shop'],
    ['sho', 'shop'],
    ['chekout', 'checkout'],
    ['check', 'checkout'],
  ])('takes the typed “%s” for the name “%s”', (typed, meant) => {
    expect(findNearestName(typed, ['blog', 'checkout', 'shop'])).toBe(meant);
  });

  it('returns null for a typed name that resembles no known name', () => {
    expect(findNearestName('payments', ['blog', 'shop'])).toBeNull();
    expect(findNearestName('x', ['blog', 'shop'])).toBeNull();
  });
});

describe('formatNameList', () => {
  it('puts the name that was probably meant first', () => {
    expect(formatNameList('shpo', ['blog', 'shop'])).toBe('shop (did you mean this?), blog');
  });

  it('lists ten names and counts the remaining names', () => {
    const names = Array.from({ length: 14 }, (_, i) => `project-${String(i).padStart(2, '0')}`);
    expect(formatNameList('zzzzzzz', names)).toMatch(/project-09 and 4 more$/);
  });

  it('returns "none yet" for an empty list', () => {
    expect(formatNameList('shop', [])).toBe('none yet');
  });
});
