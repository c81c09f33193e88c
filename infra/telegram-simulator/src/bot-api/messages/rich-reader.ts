import type { InputRichBlock, InputRichMessage, RichMessage, RichText } from 'grammy/types';
import { createBadRequest } from '../../bot-error.ts';
import { findViolation } from '../call-check.ts';
import { findUrlProblem } from './url-rules.ts';

/** Telegram's documented limits; the error texts are our own, because Telegram's are undocumented. */
const MAX_CHARACTERS = 32_768;
const MAX_BLOCKS = 500;
const MAX_DEPTH = 16;
const MAX_COLUMNS = 20;
const NO_BUTTONS = 'the simulator shows no buttons in rich messages: send reply_markup';

/** Fields with text, in blocks and in rich texts. */
const TEXT_FIELDS = ['text', 'summary', 'credit', 'caption', 'expression', 'alternative_text'];

/** Counters for one message. */
interface Reading {
  readonly isDraft: boolean;
  characters: number;
  blocks: number;
}

/** Converts `rich_message` to the message that Telegram returns. Throws BotError 400 for invalid or unsupported content. */
export function readRichMessage(value: unknown, options: { readonly isDraft: boolean }): RichMessage {
  const violation = findViolation('TelegramInputRichMessage', value);
  if (violation !== null) throw createBadRequest(`can't parse rich message: ${violation}`);
  const given = value as InputRichMessage; // the schema has just checked its types
  const forms = (['blocks', 'html', 'markdown'] as const).filter((form) => given[form] !== undefined);
  if (forms.length !== 1) throw createBadRequest('exactly one of the fields html, markdown, or blocks must be used');
  if (!given.blocks) throw createBadRequest('the simulator reads no HTML or Markdown: send rich_message.blocks');
  const reading: Reading = { isDraft: options.isDraft, characters: 0, blocks: 0 };
  const blocks = given.blocks.map((block) => readBlock(block, reading, 1));
  if (blocks.length === 0) throw createBadRequest('rich message must be non-empty');
  if (reading.characters > MAX_CHARACTERS) throw createBadRequest('message is too long');
  if (reading.blocks > MAX_BLOCKS) throw createBadRequest(`rich message has more than ${MAX_BLOCKS} blocks`);
  // Without media, sent and returned blocks differ only by list labels.
  const message = { blocks } as RichMessage;
  return given.is_rtl === true ? { ...message, is_rtl: true } : message;
}

function readBlock(block: InputRichBlock, reading: Reading, depth: number): object {
  if (depth > MAX_DEPTH) throw createBadRequest(`rich message is nested deeper than ${MAX_DEPTH} levels`);
  if (block.type === 'thinking' && !reading.isDraft)
    throw createBadRequest('block "thinking" can be used only in drafts');
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
      if (Math.max(0, ...widths) > MAX_COLUMNS) throw createBadRequest(`a table has more than ${MAX_COLUMNS} columns`);
      return block;
    }
    case 'buttons':
      throw createBadRequest(NO_BUTTONS);
    case 'collage':
    case 'slideshow':
    case 'map':
    case 'animation':
    case 'audio':
    case 'document':
    case 'photo':
    case 'video':
    case 'voice_note':
      throw createBadRequest(`the simulator shows no media in rich messages: block "${block.type}"`);
    default:
      return block;
  }
}

/** Counts all visible characters and validates links. */
function readText(value: object | RichText, reading: Reading, depth: number): void {
  if (typeof value === 'string') return countText(value, reading);
  if (Array.isArray(value)) return value.forEach((part: RichText) => readText(part, reading, depth));
  if (depth > MAX_DEPTH) throw createBadRequest(`rich message is nested deeper than ${MAX_DEPTH} levels`);
  if ('button' in value) throw createBadRequest(NO_BUTTONS);
  // The schema was validated, so each field has one kind of value.
  const fields = value as Readonly<Record<string, RichText | undefined>>;
  const { url } = value as { readonly url?: string }; // the schema has checked the type of `url`
  for (const field of TEXT_FIELDS) readText(fields[field] ?? '', reading, depth + 1);
  const problem = url === undefined ? null : findUrlProblem(url);
  if (problem) throw createBadRequest(`URL '${url}' is invalid: ${problem}`);
}

/** Telegram counts visible characters, not UTF-16 units. */
function countText(text: string, reading: Reading): void {
  if (/\p{Surrogate}/u.test(text)) throw createBadRequest('strings must be encoded in UTF-8');
  for (const _ of text) reading.characters += 1;
}

/** Labels list items as clients do: a bullet or the number. */
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
