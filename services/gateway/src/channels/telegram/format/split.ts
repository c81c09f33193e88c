import { isBlank } from '../../text/clean-text.ts';
import { findCut } from '../../text/cut.ts';
import type { Entity, FormattedText, Head } from './format.ts';

/** Telegram's limit for one message, in UTF-16 units (core.telegram.org/bots/api#sendmessage). */
export const MAX_MESSAGE_LENGTH = 4_096;
/** Telegram ignores entities after the first hundred of a message. */
export const MAX_ENTITIES = 100;

export type MessageText = Pick<FormattedText, 'text' | 'entities'>;

/**
 * Splits a text into messages of at most `limit` units: between blocks, else between lines, else between words, else
 * between characters as people see them. Nothing is lost but blanks at the cuts; spans that were cut go on in the next
 * message, and the head of a table is repeated there.
 */
export function splitText(whole: FormattedText, limit: number = MAX_MESSAGE_LENGTH): readonly MessageText[] {
  const { text } = whole;
  const entities = [...whole.entities].sort((a, b) => a.offset - b.offset || b.length - a.length);
  const parts: MessageText[] = [];
  let start = 0;
  while (start < text.length) {
    const head = findHead(whole.heads, start, limit);
    const end = findEnd(whole, entities, start, limit - head.length);
    const part = repeatHead(head, takePart(text, entities, start, end));
    // Telegram refuses a message in which there is nothing to see.
    if (!isBlank(part.text)) parts.push(part);
    start = end;
  }
  return parts;
}

function findEnd(whole: FormattedText, entities: readonly Entity[], start: number, limit: number): number {
  const { text } = whole;
  const inside = entities.filter((one) => one.offset + one.length > start);
  // The first entity that would be one too many begins the next message at the latest.
  const excess = inside[MAX_ENTITIES];
  const room = Math.min(start + limit, text.length);
  const most = excess !== undefined && excess.offset > start ? Math.min(room, excess.offset) : room;
  if (most === text.length) return most;
  const least = start + Math.floor((most - start) / 2);
  const block = whole.breaks.findLast((at) => at > least && at <= most);
  return block ?? findCut(text, start, most);
}

function takePart(text: string, entities: readonly Entity[], start: number, end: number): MessageText {
  const kept: Entity[] = [];
  const last = start + text.slice(start, end).trimEnd().length;
  for (const entity of entities) {
    const from = Math.max(entity.offset, start);
    const to = Math.min(entity.offset + entity.length, last);
    if (to > from) kept.push({ ...entity, offset: from - start, length: to - from });
  }
  return trimStart(text.slice(start, last), kept.slice(0, MAX_ENTITIES));
}

/** Drops empty lines at the start, as Telegram would, but never out of a span: indentation of code stays. */
function trimStart(text: string, entities: readonly Entity[]): MessageText {
  const first = Math.min(text.length, ...entities.map((one) => one.offset));
  const blank = Math.min(first, text.length - text.trimStart().length);
  return { text: text.slice(blank), entities: entities.map((one) => ({ ...one, offset: one.offset - blank })) };
}

/** What is repeated above a part that begins in the middle of something with a head; often nothing. */
function findHead(heads: readonly Head[], start: number, limit: number): string {
  const head = heads.find((one) => start > one.offset + one.text.length && start < one.offset + one.length);
  return head === undefined || head.text.length > limit / 4 ? '' : `${head.text}\n`;
}

/** The part begins with what goes on under the head, so whatever begins there covers the head too. */
function repeatHead(head: string, part: MessageText): MessageText {
  if (head === '') return part;
  return {
    text: head + part.text,
    entities: part.entities.map((one) =>
      one.offset === 0 ? { ...one, length: one.length + head.length } : { ...one, offset: one.offset + head.length },
    ),
  };
}
