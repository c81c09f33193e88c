import { expect, test } from 'vitest';
import { formatDraft } from './draft.ts';
import { MAX_MESSAGE_LENGTH } from '../format/split.ts';

const CHAT = 'telegram:1001';

test('unclosed Markdown in a draft is shown without its marks', () => {
  expect(formatDraft(CHAT, 'Done.\n\nThe **server** is `web-', { rich: true })).toMatchObject({
    form: 'text',
    text: 'Done.\n\nThe server is web-',
    entities: [
      { type: 'bold', offset: 11, length: 6 },
      { type: 'code', offset: 21, length: 4 },
    ],
  });
});

test('the draft of a text with a table is a rich draft if the server supports rich messages', () => {
  const text = '| a | b |\n| - | - |\n| 1 | 2 |\n';
  expect(formatDraft(CHAT, text, { rich: true })).toMatchObject({ form: 'rich', blocks: [{ type: 'table' }] });
  expect(formatDraft(CHAT, text, { rich: false })).toMatchObject({ form: 'text', text: expect.stringContaining('1') });
});

test('the draft of a text that needs several messages shows its end', () => {
  const text = `${'many words '.repeat(1_000)}and the end`;
  const shown = formatDraft(CHAT, text, { rich: false });
  expect(shown.form === 'text' && shown.text.endsWith('and the end')).toBe(true);
  expect(shown.form === 'text' && shown.text.length).toBeLessThanOrEqual(MAX_MESSAGE_LENGTH);
});

test('a placeholder is shown for a draft without visible text', () => {
  for (const text of ['**', '- ', '```', '| a |'])
    expect(formatDraft(CHAT, text, { rich: true })).toMatchObject({ form: 'text', text: '…' });
});
