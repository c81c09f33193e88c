import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findUnstorable, makeStorable } from './storable.ts';

const unusualText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('a\0b', '\ud83d', '\udc00x', '\ud83d\ude00', ''),
);
const values = fc.object({ key: unusualText, values: [unusualText, fc.integer(), fc.constant(null)], maxDepth: 3 });

describe('values that Postgres can store', () => {
  it('findUnstorable returns null for a storable value, and otherwise says where the problem is', () => {
    expect(findUnstorable({ a: [{ b: 'fine \ud83d\ude00' }, 1, null] })).toBeNull();
    expect(findUnstorable({ a: [{ b: 'x\0y' }] })).toBe(
      'arguments.a.0.b has a NUL character (U+0000) at 1; leave it out',
    );
    expect(findUnstorable({ a: { 'b\ud83d': 1 } })).toMatch(
      /^the name arguments\.a\.b\ufffd has half a surrogate pair/,
    );
    expect(findUnstorable('\0', 'the name of the tool')).toMatch(/^the name of the tool has a NUL/);
  });

  it('makeStorable makes any value storable, and does not change a value that is', () => {
    fc.assert(
      fc.property(values, (value) => {
        const result = makeStorable(value);
        expect(findUnstorable(result)).toBeNull();
        expect(JSON.stringify(result)).not.toMatch(/\\u0000|\\ud[89a-f]/i);
        const why = findUnstorable(value);
        expect(why === null ? result : value).toEqual(value);
        expect(why === null ? null : findUnstorable(why)).toBeNull();
      }),
    );
  });

  it('makeStorable does not change dates', () => {
    const at = new Date(0);
    expect(makeStorable({ at })).toEqual({ at });
  });
});
