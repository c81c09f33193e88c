import type { InputRichBlock, InputRichMessage } from 'grammy/types';
import { expect, test } from 'vitest';
import { api, client, useSimulator } from '../simulator.fixture.ts';

type Blocks = InputRichBlock[];

useSimulator({ greeted: true });

const paragraph = (text: string): Blocks[number] => ({ type: 'paragraph', text });
const nest = (depth: number): Blocks[number] =>
  depth === 1 ? paragraph('deep') : { type: 'blockquote', blocks: [nest(depth - 1)] };

/** Sends any value, including invalid ones. */
function send(rich_message: unknown): Promise<unknown> {
  return api.sendRichMessage(1001, rich_message as InputRichMessage);
}

const REPORT: Blocks = [
  { type: 'heading', size: 1, text: 'Deploy' },
  { type: 'paragraph', text: ['of ', { type: 'bold', text: 'shop' }, ' is done'] },
  {
    type: 'list',
    items: [
      { blocks: [paragraph('built')], has_checkbox: true, is_checked: true },
      { blocks: [paragraph('announced')], has_checkbox: true },
    ],
  },
  {
    type: 'table',
    cells: [
      [
        { text: 'port', is_header: true, align: 'left', valign: 'top' },
        { text: '8080', align: 'right', valign: 'top' },
      ],
    ],
  },
  { type: 'pre', text: 'npm start', language: 'sh' },
];

test('sendRichMessage returns the blocks of the message, and a person sees its blocks and plain text', async () => {
  const sent = await api.sendRichMessage(1001, { blocks: REPORT });
  expect(sent).toMatchObject({ rich_message: { blocks: [{ type: 'heading', text: 'Deploy' }, {}, {}, {}, {}] } });
  expect(sent).not.toHaveProperty('text');
  const [, seen] = await client.messages(1001);
  expect(seen?.text).toBe('Deploy\nof shop is done\n☑ built\n☐ announced\nport | 8080\nnpm start');
  expect(seen?.rich?.blocks).toEqual(sent.rich_message.blocks);
});

test('the items of an ordered list are labeled with their numbers', async () => {
  const list = (type: 'a' | '1', value?: number): Blocks[number] => ({
    type: 'list',
    items: [
      { blocks: [paragraph('x')], type, ...(value === undefined ? {} : { value }) },
      { blocks: [paragraph('y')], type },
    ],
  });
  const sent = await api.sendRichMessage(1001, { blocks: [list('1', 9), list('a')] });
  const labels = sent.rich_message.blocks.map((block) => block.type === 'list' && block.items.map((one) => one.label));
  expect(labels).toEqual([
    ['9.', '10.'],
    ['1.', '2.'],
  ]);
});

test('a plain message can be edited into a rich one, and back into a plain one', async () => {
  const { message_id } = await api.sendMessage(1001, 'working');
  const edited = await api.editMessageText(1001, message_id, { blocks: REPORT });
  expect(edited).toMatchObject({ rich_message: { blocks: [{ type: 'heading' }, {}, {}, {}, {}] } });
  await api.editMessageText(1001, message_id, 'plain');
  expect((await client.messages(1001)).at(-1)).toMatchObject({ text: 'plain', rich: null });
});

test('an edit to the same blocks is refused because it changes nothing', async () => {
  const { message_id } = await api.sendRichMessage(1001, { blocks: REPORT });
  await expect(api.editMessageText(1001, message_id, { blocks: REPORT })).rejects.toMatchObject({
    description: expect.stringContaining('message is not modified'),
  });
});

test('a rich message exactly at the size limits is accepted', async () => {
  await send({ blocks: [paragraph('👍'.repeat(32_768))] });
  await send({ blocks: Array.from({ length: 500 }, () => paragraph('x')) });
  await send({ blocks: [nest(16)] });
  const cell = { text: 'x', align: 'left', valign: 'top' };
  await send({ blocks: [{ type: 'table', cells: [Array.from({ length: 20 }, () => cell)] }] });
  expect(await client.messages(1001)).toHaveLength(5);
});

const cell = { text: 'x', align: 'left', valign: 'top' };
test.each([
  ['32,769 characters', { blocks: [paragraph('x'.repeat(32_769))] }, 'message is too long'],
  [
    '501 blocks, items among them',
    { blocks: [{ type: 'list', items: Array.from({ length: 250 }, () => ({ blocks: [paragraph('x')] })) }] },
    'rich message has more than 500 blocks',
  ],
  ['17 levels', { blocks: [nest(17)] }, 'rich message is nested deeper than 16 levels'],
  [
    '21 columns, some of them spanned',
    { blocks: [{ type: 'table', cells: [[{ ...cell, colspan: 20 }, cell]] }] },
    'a table has more than 20 columns',
  ],
  ['no blocks', { blocks: [] }, 'rich message must be non-empty'],
  [
    'an unknown block',
    { blocks: [{ type: 'nope' }] },
    'can\'t parse rich message: /blocks/0 value of tag "type" must be in oneOf',
  ],
  [
    'a heading without its size',
    { blocks: [{ type: 'heading', text: 'x' }] },
    "can't parse rich message: /blocks/0 must have required property 'size'",
  ],
  [
    'a formatting that does not exist',
    { blocks: [{ type: 'paragraph', text: { type: 'blink', text: 'x' } }] },
    "can't parse rich message: /blocks/0/text must be string",
  ],
  [
    'a placeholder for thinking',
    { blocks: [{ type: 'thinking', text: 'x' }] },
    'block "thinking" can be used only in drafts',
  ],
  ['HTML', { html: '<b>x</b>' }, 'the simulator reads no HTML or Markdown: send rich_message.blocks'],
  [
    'blocks and Markdown',
    { blocks: [], markdown: 'x' },
    'exactly one of the fields html, markdown, or blocks must be used',
  ],
  [
    'a picture',
    { blocks: [{ type: 'photo', photo: { type: 'photo', media: 'x' } }] },
    'the simulator shows no media in rich messages: block "photo"',
  ],
  [
    'a link that opens nothing',
    { blocks: [{ type: 'paragraph', text: { type: 'url', text: 'x', url: 'http://localhost' } }] },
    "URL 'http://localhost' is invalid: Wrong HTTP URL",
  ],
  [
    'a row of buttons',
    { blocks: [{ type: 'buttons', buttons: [{ text: 'x', callback_data: 'x' }] }] },
    'the simulator shows no buttons in rich messages: send reply_markup',
  ],
  [
    'a button in a text',
    { blocks: [{ type: 'paragraph', text: { type: 'button', button: { text: 'x', callback_data: 'x' } } }] },
    'the simulator shows no buttons in rich messages: send reply_markup',
  ],
])('a rich message with %s is refused', async (_, message, reason) => {
  await expect(send(message)).rejects.toMatchObject({ error_code: 400, description: `Bad Request: ${reason}` });
  expect(await client.messages(1001)).toHaveLength(1);
});
