import type { Entity, FormattedText } from './format.ts';

/** Telegram's limit for one message, in UTF-16 units (core.telegram.org/bots/api#sendmessage). */
export const MESSAGE_LIMIT = 4_096;
/** Telegram ignores entities after the first hundred of a message. */
const ENTITY_LIMIT = 100;

export type MessageText = Pick<FormattedText, 'text' | 'entities'>;

/**
 * Splits a text into messages of at most `limit` units: between blocks, else between lines, else between words, else
 * between characters as people see them. Nothing is lost but blanks at the cuts; spans that were cut go on in the next
 * message.
 */
export function splitText(whole: FormattedText, limit: number = MESSAGE_LIMIT): readonly MessageText[] {
  const { text } = whole;
  const entities = [...whole.entities].sort((a, b) => a.offset - b.offset || b.length - a.length);
  const parts: MessageText[] = [];
  let start = 0;
  while (start < text.length) {
    const end = findEnd(whole, entities, start, limit);
    const part = takePart(text, entities, start, end);
    if (part.text !== '') parts.push(part);
    start = end;
  }
  return parts;
}

function findEnd(whole: FormattedText, entities: readonly Entity[], start: number, limit: number): number {
  const { text } = whole;
  const inside = entities.filter((one) => one.offset + one.length > start);
  // The first entity that would be one too many begins the next message at the latest.
  const excess = inside[ENTITY_LIMIT];
  const room = Math.min(start + limit, text.length);
  const most = excess !== undefined && excess.offset > start ? Math.min(room, excess.offset) : room;
  if (most === text.length) return most;
  const least = start + Math.floor((most - start) / 2);
  const block = whole.breaks.findLast((at) => at > least && at <= most);
  if (block !== undefined) return block;
  const line = text.lastIndexOf('\n', most - 1);
  if (line > least) return line + 1;
  const space = text.lastIndexOf(' ', most - 1);
  if (space > least) return space + 1;
  return avoidCharacter(text, start, most);
}

const SEGMENTER = new Intl.Segmenter();
/** Far more than the longest emoji; a longer pile of accents may be cut. */
const LOOK_BACK = 64;

/** The last place up to `most` that is not inside a character: no half surrogate pair, no emoji torn apart. */
function avoidCharacter(text: string, start: number, most: number): number {
  const from = Math.max(start, most - LOOK_BACK);
  let cut = start;
  for (const { index } of SEGMENTER.segment(text.slice(from, most + LOOK_BACK))) {
    if (from + index > most) break;
    cut = from + index;
  }
  if (cut > start) return cut;
  return isLowSurrogate(text, most) && most - 1 > start ? most - 1 : most;
}

function takePart(text: string, entities: readonly Entity[], start: number, end: number): MessageText {
  const kept: Entity[] = [];
  const last = start + text.slice(start, end).trimEnd().length;
  for (const entity of entities) {
    const from = Math.max(entity.offset, start);
    const to = Math.min(entity.offset + entity.length, last);
    if (to > from) kept.push({ ...entity, offset: from - start, length: to - from });
  }
  return trimStart(text.slice(start, last), kept.slice(0, ENTITY_LIMIT));
}

/** Drops empty lines at the start, as Telegram would, but never out of a span: indentation of code stays. */
function trimStart(text: string, entities: readonly Entity[]): MessageText {
  const first = Math.min(text.length, ...entities.map((one) => one.offset));
  const blank = Math.min(first, text.length - text.trimStart().length);
  return { text: text.slice(blank), entities: entities.map((one) => ({ ...one, offset: one.offset - blank })) };
}

function isLowSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}
