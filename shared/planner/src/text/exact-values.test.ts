import { expect, it } from 'vitest';
import { decodeValues, encodeValue, holdsShieldedWords, showValues } from './exact-values.ts';
import { cleanText } from './tokens.ts';

const keep = (text: string): string => decodeValues(cleanText(encodeValue(text, 2_000)));

it.each([
  ['line breaks', '-----BEGIN KEY-----\nab+/cd==\n\n-----END KEY-----.'],
  ['blanks and quotes', 'a  “b”\t„c  d'],
  ['letters that look like others', 'ﬁn ① Å ｆｕｌｌ'],
  ['an end that a sentence would lose', 'in production\nplease.'],
  ['signs beyond the basic plane', '🙂\n𝄞'],
])('the value of a variable keeps %s', (_, value) => {
  const order = 'set CERT of shop in staging to';
  expect(keep(`${order} ${value}`)).toBe(`${order} ${value}`);
  expect(keep(`please set the variable cert of shop to\n${value}`)).toBe(
    `please set the variable cert of shop to ${value}`,
  );
  expect(keep(`${order} "${value}"`)).toBe(`${order} ${value}`);
});

it('a phone may write the quotes around a value', () => {
  expect(keep('set A of shop to “x  y”')).toBe('set A of shop to x  y');
});

it.each(['set TIMEOUT of shop to 30 in production.', 'set the tone of shop to a\nb', 'deploy shop\nto staging'])(
  'an order whose words say it all is read as before: %s',
  (text) => {
    expect(encodeValue(text, 2_000)).toBe(text);
  },
);

it('a value that is too long to be read whole is not cut, but asked for', () => {
  expect(encodeValue(`set A of shop to x\n${'y\n'.repeat(2_000)}`, 2_000)).toBe('set A of shop to');
});

it('a kept value is shown in one line', () => {
  expect(showValues(encodeValue('set A of shop to x\ny', 2_000))).toBe('set A of shop to x\\ny');
});

it('only a value of several words may hold words that are not its own', () => {
  expect(holdsShieldedWords(encodeValue('set A of shop to x\nbitte nicht', 2_000))).toBe(true);
  expect(holdsShieldedWords(encodeValue('set A of shop to debugはだめ', 2_000))).toBe(true);
  expect(holdsShieldedWords(encodeValue('set A of shop to größe', 2_000))).toBe(false);
});
