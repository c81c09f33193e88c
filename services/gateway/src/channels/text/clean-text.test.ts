import { describe, expect, test } from 'vitest';
import { cleanText, isBlank, isRightToLeft } from './clean-text.ts';

describe('cleanText', () => {
  test.each([
    ['halves of characters', 'a\ud83d b\ude00', 'a\ufffd b\ufffd'],
    ['NUL and control characters', 'a\u0000b\u0007c\u0085d\u007fe', 'abcde'],
    ['colors of a terminal', '\u001b[1;31mERROR\u001b[0m x', 'ERROR x'],
    ['line ends of other systems', 'a\r\nb\rc\u2028d\u2029e', 'a\nb\nc\nd\ne'],
    ['overrides of direction', 'pay \u202e001$\u202c to \u2066x\u2069', 'pay 001$ to x'],
    ['tabs', '\tif\tx\n12345\ty', '    if  x\n12345   y'],
    ['emoji, accents and marks of direction', '👩‍👧 e\u0301 \u200fשלום', '👩‍👧 e\u0301 \u200fשלום'],
  ])('returns the expected text for %s', (_, text, clean) => {
    expect(cleanText(text)).toBe(clean);
  });
});

test.each([
  ['', true],
  [' \n\u00a0\u200b\u200d\u2060\ufeff\u00ad\u3164\u2800\ufe0f', true],
  ['\u200bx', false],
  ['\u0301', false],
  ['🙂', false],
])('the text %j counts as blank (true or false: %s)', (text, blank) => {
  expect(isBlank(text)).toBe(blank);
});

test.each([
  ['שלום world', true],
  ['123 مرحبا', true],
  ['hello שלום', false],
  ['123 !', false],
])('the text %j is written from right to left (true or false: %s)', (text, expected) => {
  expect(isRightToLeft(text)).toBe(expected);
});
