import type { InputRichBlock, InputRichMessage, RichMessage, RichText } from 'grammy/types';
import { badRequest } from '../../bot-error.ts';
import { findViolation } from '../call-check.ts';
import { findUrlProblem } from './url-rules.ts';

/** Telegram's documented limits. The sentences for them are our own: Telegram's are not documented. */
const MAX_CHARACTERS = 32_768;
const MAX_BLOCKS = 500;
const MAX_DEPTH = 16;
const MAX_COLUMNS = 20;
const NO_BUTTONS = 'the simulator shows no buttons in rich messages: send reply_markup';

/** What holds text, in a block as well as in a text. */
const TEXT_FIELDS = ['text', 'summary', 'credit', 'caption', 'expression', 'alternative_text'];

/** Counts over one message while it is read. */
interface Reading {
  readonly isDraft: boolean;
  characters: number;
  blocks: number;
}

/**
 * Reads the `rich_message` of a request as the message that Telegram sends back, with the labels of list items. Throws BotError 400
 * for what is against the types or limits of the Bot API, and for what the simulator cannot show (HTML, Markdown, media, buttons). Only drafts
 * may hold a `thinking` block.
 */
export function readRichMessage(value: unknown, options: { readonly isDraft: boolean }): RichMessage {
  const violation = findViolation('TelegramInputRichMessage', value);
  if (violation !== null) throw badRequest(`can't parse rich message: ${violation}`);
  const given = value as InputRichMessage; // its types were just compared
  const forms = (['blocks', 'html', 'markdown'] as const).filter((form) => given[form] !== undefined);
  if (forms.length !== 1) throw badRequest('exactly one of the fields html, markdown, or blocks must be used');
  if (!given.blocks) throw badRequest('the simulator reads no HTML or Markdown: send rich_message.blocks');
  const reading: Reading = { isDraft: options.isDraft, characters: 0, blocks: 0 };
  const blocks = given.blocks.map((block) => readBlock(block, reading, 1));
  if (blocks.length === 0) throw badRequest('rich message must be non-empty');
  if (reading.characters > MAX_CHARACTERS) throw badRequest('message is too long');
  if (reading.blocks > MAX_BLOCKS) throw badRequest(`rich message has more than ${MAX_BLOCKS} blocks`);
  // Without media, a block that is sent differs from one that comes back by the labels alone.
  const message = { blocks } as RichMessage;
  return given.is_rtl === true ? { ...message, is_rtl: true } : message;
}

function readBlock(block: InputRichBlock, reading: Reading, depth: number): object {
  if (depth > MAX_DEPTH) throw badRequest(`rich message is nested deeper than ${MAX_DEPTH} levels`);
  if (block.type === 'thinking' && !reading.isDraft) throw badRequest('block "thinking" can be used only in drafts');
  reading.blocks += 1;
  readText(block, reading, depth);
  const readInner = (blocks: readonly InputRichBlock[]): object[] =>
    blocks.map((inner) => readBlock(inner, reading, depth + 1));
  switch (block.type) {
    case 'blockquote':
    case 'details':
      return { ...block, blocks: readInner(block.blocks) };
    case 'list': {
      reading.blocks += block.items.length;
      return { ...block, items: labelItems(block.items.map((item) => ({ ...item, blocks: readInner(item.blocks) }))) };
    }
    case 'table': {
      reading.blocks += block.cells.length;
      for (const cell of block.cells.flat()) readText(cell, reading, depth);
      const widths = block.cells.map((row) => row.reduce((sum, { colspan = 1 }) => sum + colspan, 0));
      if (Math.max(0, ...widths) > MAX_COLUMNS) throw badRequest(`a table has more than ${MAX_COLUMNS} columns`);
      return block;
    }
    case 'buttons':
      throw badRequest(NO_BUTTONS);
    case 'collage':
    case 'slideshow':
    case 'map':
    case 'animation':
    case 'audio':
    case 'document':
    case 'photo':
    case 'video':
    case 'voice_note':
      throw badRequest(`the simulator shows no media in rich messages: block "${block.type}"`);
    default:
      return block;
  }
}

/** Counts the characters of everything in a block or a text that a reader sees, and looks at its links. */
function readText(value: object | RichText, reading: Reading, depth: number): void {
  if (typeof value === 'string') return countText(value, reading);
  if (Array.isArray(value)) return value.forEach((part: RichText) => readText(part, reading, depth));
  if (depth > MAX_DEPTH) throw badRequest(`rich message is nested deeper than ${MAX_DEPTH} levels`);
  if ('button' in value) throw badRequest(NO_BUTTONS);
  // All of it was compared with its type, in which every field has one kind of value.
  const fields = value as Readonly<Record<string, RichText | undefined>>;
  const { url } = value as { readonly url?: string }; // for the same reason
  for (const field of TEXT_FIELDS) readText(fields[field] ?? '', reading, depth + 1);
  const problem = url === undefined ? null : findUrlProblem(url);
  if (problem) throw badRequest(`URL '${url}' is invalid: ${problem}`);
}

/** Telegram counts what a reader sees, in characters and not in UTF-16 units. */
function countText(text: string, reading: Reading): void {
  if (/\p{Surrogate}/u.test(text)) throw badRequest('strings must be encoded in UTF-8');
  for (const _ of text) reading.characters += 1;
}

/** Gives each item of a list the label that clients show: a bullet, or its number. */
function labelItems(items: readonly { readonly value?: number; readonly type?: string }[]): readonly object[] {
  const isOrdered = items.some(({ value, type }) => value !== undefined || type !== undefined);
  let next = 1;
  return items.map((item) => {
    if (!isOrdered) return { label: '•', ...item };
    const { value = next, type = '1' } = item;
    next = value + 1;
    return { label: `${value}.`, ...item, value, type };
  });
}
