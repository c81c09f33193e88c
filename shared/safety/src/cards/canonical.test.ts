import { expect, it } from 'vitest';
import { hashCanonical, toCanonicalJson } from './canonical.ts';

// The sorting and number samples follow RFC 8785, sections 3.2.2 and 3.2.3.
it('canonical JSON sorts the keys of an object by UTF-16 units', () => {
  const keys = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': 7 };
  expect(toCanonicalJson(keys)).toBe('{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\ud83d\ude00":5,"\ufb33":3}');
  expect(hashCanonical({ a: [1, { b: 2, c: 3 }] })).toBe(hashCanonical({ a: [1, { c: 3, b: 2 }] }));
  expect(hashCanonical([1, 2])).not.toBe(hashCanonical([2, 1]));
});

it('canonical JSON writes numbers as ECMAScript does', () => {
  expect(toCanonicalJson([0.1, 1e30, 4.5, 2e-3, 0.000000000000000000000000001, -0])).toBe(
    '[0.1,1e+30,4.5,0.002,1e-27,0]',
  );
});

it('canonical JSON refuses a value that JSON cannot express', () => {
  for (const value of [NaN, Infinity, undefined, () => 1, 1n, '\ud800', { a: Symbol('x') }])
    expect(() => toCanonicalJson(value)).toThrow(TypeError);
});

it('canonical JSON omits undefined members of an object', () => {
  expect(toCanonicalJson({ a: undefined, b: null })).toBe('{"b":null}');
});
