import type { RichMessage } from 'grammy/types';
import { badRequest } from '../bot-api/bot-error.ts';
import { readRichButton } from './rich-button.ts';
import { BLOCK_SHAPES, CELL_SHAPE, type FieldKind, ITEM_SHAPE, MEDIA_BLOCKS, TEXT_SHAPES } from './rich-shapes.ts';
import { labelItems, measureColumns } from './rich-layout.ts';
import { findUrlProblem } from '../bot-api/messages/url-rules.ts';

/** Telegram's documented limits. The sentences for them are our own: Telegram's are not documented. */
const MAX_CHARACTERS = 32_768;
const MAX_BLOCKS = 500;
const MAX_DEPTH = 16;
const MAX_COLUMNS = 20;
const MAX_ROW_BUTTONS = 8;

type Fields = Readonly<Record<string, unknown>>;

/** Counts over one message while it is read. */
interface Reading {
  readonly isDraft: boolean;
  characters: number;
  blocks: number;
}

/**
 * Reads the `rich_message` of a request as the message that Telegram sends back: unknown fields are dropped, list items
 * get their labels. Throws BotError 400 for what Telegram refuses, and for what the simulator cannot show (HTML,
 * Markdown, media). Only drafts may hold a `thinking` block.
 */
export function readRichMessage(value: unknown, options: { readonly isDraft: boolean }): RichMessage {
  if (!isFields(value)) throw badRequest("can't parse rich message JSON object");
  const forms = ['blocks', 'html', 'markdown'].filter((form) => value[form] !== undefined);
  if (forms.length !== 1) throw badRequest('exactly one of the fields html, markdown, or blocks must be used');
  if (forms[0] !== 'blocks') throw badRequest('the simulator reads no HTML or Markdown: send rich_message.blocks');
  const reading: Reading = { isDraft: options.isDraft, characters: 0, blocks: 0 };
  const blocks = readBlocks(value['blocks'], reading, 1);
  if (blocks.length === 0) throw badRequest('rich message must be non-empty');
  if (reading.characters > MAX_CHARACTERS) throw badRequest('message is too long');
  if (reading.blocks > MAX_BLOCKS) throw badRequest(`rich message has more than ${MAX_BLOCKS} blocks`);
  // The tables in rich-shapes.ts say field by field what the library's type says.
  const message = { blocks } as unknown as RichMessage;
  return value['is_rtl'] === true ? { ...message, is_rtl: true } : message;
}

function readBlocks(value: unknown, reading: Reading, depth: number): Fields[] {
  if (!Array.isArray(value)) throw badRequest('expected an Array of InputRichBlock');
  return value.map((block: unknown) => {
    if (!isFields(block)) throw badRequest("can't parse InputRichBlock: expected an Object");
    const type = readType(block, 'InputRichBlock');
    const shape = BLOCK_SHAPES[type];
    if (MEDIA_BLOCKS.has(type)) throw badRequest(`the simulator shows no media in rich messages: block "${type}"`);
    if (!shape) throw badRequest(`can't parse InputRichBlock: type "${type}" is unsupported`);
    if (type === 'thinking' && !reading.isDraft) throw badRequest('block "thinking" can be used only in drafts');
    reading.blocks += 1;
    return { type, ...readFields({ name: 'InputRichBlock', value: block, shape, reading, depth }) };
  });
}

function readText(value: unknown, reading: Reading, depth: number): unknown {
  if (typeof value === 'string') return countText(value, reading);
  if (Array.isArray(value)) return value.map((part: unknown) => readText(part, reading, depth));
  if (!isFields(value)) throw badRequest("can't parse RichText: expected a String, an Array or an Object");
  const type = readType(value, 'RichText');
  const shape = TEXT_SHAPES[type];
  if (!shape) throw badRequest(`can't parse RichText: type "${type}" is unsupported`);
  return { type, ...readFields({ name: 'RichText', value, shape, reading, depth: depth + 1 }) };
}

interface FieldsToRead {
  /** Telegram's name of the object, for its error. */
  readonly name: string;
  readonly value: Fields;
  readonly shape: Readonly<Record<string, string>>;
  readonly reading: Reading;
  readonly depth: number;
}

function readFields({ name, value, shape, reading, depth }: FieldsToRead): Fields {
  if (depth > MAX_DEPTH) throw badRequest(`rich message is nested deeper than ${MAX_DEPTH} levels`);
  const read: Record<string, unknown> = {};
  for (const [field, described] of Object.entries(shape)) {
    const given = value[field];
    const isOptional = described.endsWith('?');
    if (given === undefined && isOptional) continue;
    if (given === undefined) throw badRequest(`can't parse ${name}: Can't find field "${field}"`);
    // The tables hold nothing but kinds, with or without the mark.
    const kind = described.replace('?', '') as FieldKind;
    read[field] = readField({ kind, value: given, place: `${name}: field "${field}"`, reading, depth });
  }
  return read;
}

interface FieldToRead {
  readonly kind: FieldKind;
  readonly value: unknown;
  readonly place: string;
  readonly reading: Reading;
  readonly depth: number;
}

function readField({ kind, value, place, reading, depth }: FieldToRead): unknown {
  switch (kind) {
    case 'text':
      return readText(value, reading, depth);
    case 'blocks':
      return readBlocks(value, reading, depth + 1);
    case 'items':
      return readItems(value, reading, depth);
    case 'cells':
      return readRows(value, reading, depth);
    case 'button':
      return readButton(value, reading, depth);
    case 'buttons': {
      const buttons = readArray(value, 'RichMessageButton').map((button) => readButton(button, reading, depth));
      if (buttons.length === 0 || buttons.length > MAX_ROW_BUTTONS) throw badRequest('a row holds 1-8 buttons');
      return buttons;
    }
    case 'counted':
      return countText(requireString(value, place), reading);
    case 'string':
      return requireString(value, place);
    case 'url': {
      const url = requireString(value, place);
      const problem = findUrlProblem(url);
      if (problem) throw badRequest(`URL '${url}' is invalid: ${problem}`);
      return url;
    }
    case 'integer':
      if (!Number.isSafeInteger(value)) throw badRequest(`can't parse ${place} must be of type Number`);
      return value;
    case 'true':
      if (typeof value !== 'boolean') throw badRequest(`can't parse ${place} must be of type Boolean`);
      return value;
    case 'user':
      if (!isFields(value)) throw badRequest(`can't parse ${place} must be of type Object`);
      return value;
    case 'size':
      return requireOneOf(value, [1, 2, 3, 4, 5, 6], place);
    case 'align':
      return requireOneOf(value, ['left', 'center', 'right'], place);
    case 'valign':
      return requireOneOf(value, ['top', 'middle', 'bottom'], place);
    case 'number style':
      return requireOneOf(value, ['a', 'A', 'i', 'I', '1'], place);
  }
}

function readItems(value: unknown, reading: Reading, depth: number): unknown {
  const items = readArray(value, 'InputRichBlockListItem').map((item) => {
    reading.blocks += 1;
    return readFields({ name: 'InputRichBlockListItem', value: item, shape: ITEM_SHAPE, reading, depth });
  });
  return labelItems(items);
}

function readRows(value: unknown, reading: Reading, depth: number): unknown {
  if (!Array.isArray(value)) throw badRequest('expected an Array of Array of RichBlockTableCell');
  const rows = value.map((row: unknown) => {
    reading.blocks += 1;
    return readArray(row, 'RichBlockTableCell').map((cell) =>
      readFields({ name: 'RichBlockTableCell', value: cell, shape: CELL_SHAPE, reading, depth }),
    );
  });
  if (measureColumns(rows) > MAX_COLUMNS) throw badRequest(`a table has more than ${MAX_COLUMNS} columns`);
  return rows;
}

function readButton(value: unknown, reading: Reading, depth: number): unknown {
  if (!isFields(value)) throw badRequest("can't parse RichMessageButton: expected an Object");
  return { ...readRichButton(value), text: readText(value['text'], reading, depth) };
}

function readArray(value: unknown, name: string): Fields[] {
  if (!Array.isArray(value)) throw badRequest(`expected an Array of ${name}`);
  return value.map((one: unknown) => {
    if (!isFields(one)) throw badRequest(`can't parse ${name}: expected an Object`);
    return one;
  });
}

function readType(value: Fields, name: string): string {
  const type = value['type'];
  if (typeof type !== 'string') throw badRequest(`can't parse ${name}: Can't find field "type"`);
  return type;
}

/** Telegram counts what a reader sees, in characters and not in UTF-16 units. */
function countText(text: string, reading: Reading): string {
  if (/\p{Surrogate}/u.test(text)) throw badRequest('strings must be encoded in UTF-8');
  for (const _ of text) reading.characters += 1;
  return text;
}

function requireString(value: unknown, place: string): string {
  if (typeof value !== 'string') throw badRequest(`can't parse ${place} must be of type String`);
  return value;
}

function requireOneOf(value: unknown, allowed: readonly unknown[], place: string): unknown {
  if (!allowed.includes(value)) throw badRequest(`can't parse ${place} must be one of ${allowed.join(', ')}`);
  return value;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
