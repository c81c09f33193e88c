import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createJsonFieldReader } from './growing-field.ts';

/** The field's text after each piece of `size` characters. */
function collectTexts(json: string, size: number): readonly string[] {
  const field = createJsonFieldReader('message');
  const texts: string[] = [];
  for (let at = 0; at < json.length; at += size) {
    field.feed(json.slice(at, at + size));
    texts.push(field.text());
  }
  return texts;
}

describe('a text field of JSON that is still being streamed', () => {
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
  ])('is read correctly when the stream is cut within %s', (_, json) => {
    const whole = (JSON.parse(json) as { message: string }).message;
    for (let size = 1; size <= json.length; size += 1) {
      const texts = collectTexts(json, size);
      expect(texts.at(-1)).toBe(whole);
      for (const text of texts) expect(whole.startsWith(text)).toBe(true);
    }
  });

  it('ends with the value that JSON.parse reads, and never shows half a surrogate pair', () => {
    const objects = fc.record(
      { message: fc.string({ unit: 'binary' }), other: fc.jsonValue(), list: fc.array(fc.jsonValue()) },
      { requiredKeys: ['message'] },
    );
    fc.assert(
      fc.property(objects, fc.integer({ min: 1, max: 7 }), fc.boolean(), (object, size, after) => {
        const ordered = after ? object : { ...object, message: undefined, late: 1 };
        const json = JSON.stringify(after ? ordered : { ...ordered, message: object.message });
        const texts = collectTexts(json, size);
        expect(texts.at(-1)).toBe(object.message);
        expect(texts.filter((text) => /[\uD800-\uDBFF]$/.test(text))).toEqual([]);
      }),
    );
  });

  it('is empty when the field is missing or is no string', () => {
    expect(collectTexts('{"a":"message","b":{"message":"x"}}', 3).at(-1)).toBe('');
    expect(collectTexts('{"message":{"message":"x"}}', 3).at(-1)).toBe('');
    expect(collectTexts('not JSON at all', 3).at(-1)).toBe('');
  });
});
