import { expect, test } from 'vitest';
import { escapeControls } from './command-line.ts';

test('the command line escapes control characters, but keeps line feeds and tabs', () => {
  expect(escapeControls('Ada\u001b]0;owned\u0007\u009b31m\u202egnp.exe\r\n\tnext – ñ 🙂')).toBe(
    'Ada\\u001b]0;owned\\u0007\\u009b31m\\u202egnp.exe\\u000d\n\tnext – ñ 🙂',
  );
});

test('JSON with escaped control characters still parses to the same value', () => {
  const data = { name: 'a\u009b\u2066\u001bb', text: 'two\nlines' };
  expect(JSON.parse(escapeControls(JSON.stringify(data, null, 2)))).toEqual(data);
});
