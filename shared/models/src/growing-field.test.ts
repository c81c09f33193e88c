import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGrowingField } from './growing-field.ts';

/** The texts that are seen while a JSON text comes in pieces of this many characters. */
function watch(json: string, size: number): readonly string[] {
  const field = createGrowingField('message');
  const seen: string[] = [];
  for (let at = 0; at < json.length; at += size) {
    field.feed(json.slice(at, at + size));
    seen.push(field.text());
  }
  return seen;
}

describe('a field that is still being written', () => {
  it.each([
    ['an escape', String.raw`{"message":"a\nb\t\"c\" \\ \/ d"}`],
    ['a code', String.raw`{"message":"caf\u00e9 \ud83d\ude00!"}`],
    ['a pair of surrogates', `{"message":"tea 🍵 and 👩‍🚀"}`],
    [
      'fields before and after it',
      `{"choices":[{"message":"no"},"}"],"n":-1.5e3,"ok":true,"message":"yes","z":{"message":"no"}}`,
    ],
    ['a name that needs unescaping', String.raw`{"mess\u0061ge":"yes"}`],
    ['space everywhere', ` { "x" : null ,\n "message" :\t"yes" } `],
  ])('is read although it is cut in %s', (_, json) => {
    const whole = (JSON.parse(json) as { message: string }).message;
    for (let size = 1; size <= json.length; size += 1) {
      const seen = watch(json, size);
      expect(seen.at(-1)).toBe(whole);
      for (const text of seen) expect(whole.startsWith(text)).toBe(true);
    }
  });

  it('is the text of JSON.parse for any object, and never ends in half of a character', () => {
    const objects = fc.record(
      { message: fc.string({ unit: 'binary' }), other: fc.jsonValue(), list: fc.array(fc.jsonValue()) },
      { requiredKeys: ['message'] },
    );
    fc.assert(
      fc.property(objects, fc.integer({ min: 1, max: 7 }), fc.boolean(), (object, size, after) => {
        const ordered = after ? object : { ...object, message: undefined, late: 1 };
        const json = JSON.stringify(after ? ordered : { ...ordered, message: object.message });
        const seen = watch(json, size);
        expect(seen.at(-1)).toBe(object.message);
        expect(seen.filter((text) => /[\uD800-\uDBFF]$/.test(text))).toEqual([]);
      }),
    );
  });

  it('is empty when the object has no such field, or holds something else there', () => {
    expect(watch('{"a":"message","b":{"message":"x"}}', 3).at(-1)).toBe('');
    expect(watch('{"message":{"message":"x"}}', 3).at(-1)).toBe('');
    expect(watch('not JSON at all', 3).at(-1)).toBe('');
  });
});
