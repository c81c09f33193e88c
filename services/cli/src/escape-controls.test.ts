import { expect, test } from 'vitest';
import { escapeControls } from './escape-controls.ts';

test('what a terminal obeys is shown, and a line and a tab are what they were', () => {
  expect(escapeControls('Ada\u001b]0;owned\u0007\u009b31m\u202egnp.exe\r\n\tnext – ñ 🙂')).toBe(
    'Ada\\u001b]0;owned\\u0007\\u009b31m\\u202egnp.exe\\u000d\n\tnext – ñ 🙂',
  );
});

test('JSON stays the JSON that it was', () => {
  const data = { name: 'a\u009b\u2066\u001bb', text: 'two\nlines' };
  expect(JSON.parse(escapeControls(JSON.stringify(data, null, 2)))).toEqual(data);
});
