import { expect, test } from 'vitest';
import { toSpeech } from './speech.ts';

test.each([
  ['Some **bold** `code` and [a link](https://example.org).', 'Some bold code and a link.'],
  ['# Done\n\n- one\n- two\n\n> quoted', 'Done\none\ntwo\nquoted'],
  ['| a | b |\n|---|---|\n| 1 | 2 |', 'a, b\n1, 2'],
  ['```js\nconst x = 1;\n```\n\n---\n\nAfter.', 'After.'],
  ['', ''],
])('the text %j is read aloud as %j', (markdown, said) => expect(toSpeech(markdown)).toBe(said));

test('a text that is too long to be read aloud is cut after a word', () => {
  const said = toSpeech('word '.repeat(1_000));
  expect(said.length).toBeLessThanOrEqual(2_000);
  expect(said).toMatch(/ word$/);
});
