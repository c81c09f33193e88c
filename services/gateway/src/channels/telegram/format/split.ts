import { isBlank } from '../../text/clean-text.ts';
import { findCut } from '../../text/cut.ts';
import type { TextEntity, FormattedText, RepeatedHeader } from './format.ts';

/** Telegram's limit per message, in UTF-16 units (core.telegram.org/bots/api#sendmessage). */
export const MAX_MESSAGE_LENGTH = 4_096;
/** Telegram ignores further entities of a message. */
export const MAX_ENTITIES = 100;

export type MessageText = Pick<FormattedText, 'text' | 'entities'>;

/** Splits a text between blocks, else lines, words or characters. A cut span continues; a cut table repeats its header. */
export function splitText(whole: FormattedText, limit: number = MAX_MESSAGE_LENGTH): readonly MessageText[] {
  const { text } = whole;
  const entities = [...whole.entities].sort((a, b) => a.offset - b.offset || b.length - a.length);
  const parts: MessageText[] = [];
  let start = 0;
  while (start < text.length) {
    const head = findHead(whole.heads, start, limit);
    const end = findEnd(whole, entities, start, limit - head.length);
    const part = repeatHead(head, takePart(text, entities, start, end));
    // Telegram refuses a message without visible text.
    if (!isBlank(part.text)) parts.push(part);
    start = end;
  }
  return parts;
}

function findEnd(whole: FormattedText, entities: readonly TextEntity[], start: number, limit: number): number {
  const { text } = whole;
  const inside = entities.filter((one) => one.offset + one.length > start);
  // The first entity over the limit starts the next message.
  const excess = inside[MAX_ENTITIES];
  const room = Math.min(start + limit, text.length);
  const latestEnd = excess !== undefined && excess.offset > start ? Math.min(room, excess.offset) : room;
  if (latestEnd === text.length) return latestEnd;
  const earliestEnd = start + Math.floor((latestEnd - start) / 2);
  const block = whole.breaks.findLast((at) => at > earliestEnd && at <= latestEnd);
  return block ?? findCut(text, start, latestEnd);
}

function takePart(text: string, entities: readonly TextEntity[], start: number, end: number): MessageText {
  const partEntities: TextEntity[] = [];
  const last = start + text.slice(start, end).trimEnd().length;
  for (const entity of entities) {
    const from = Math.max(entity.offset, start);
    const to = Math.min(entity.offset + entity.length, last);
    if (to > from) partEntities.push({ ...entity, offset: from - start, length: to - from });
  }
  return trimStart(text.slice(start, last), partEntities.slice(0, MAX_ENTITIES));
}

/** Drops empty lines at the start as Telegram would, but not inside a span: code keeps its indentation. */
function trimStart(text: string, entities: readonly TextEntity[]): MessageText {
  const first = Math.min(text.length, ...entities.map((one) => one.offset));
  const blank = Math.min(first, text.length - text.trimStart().length);
  return { text: text.slice(blank), entities: entities.map((one) => ({ ...one, offset: one.offset - blank })) };
}

/** The header to repeat above a part that begins inside the header's range; often empty. */
function findHead(heads: readonly RepeatedHeader[], start: number, limit: number): string {
  const head = heads.find((one) => start > one.offset + one.text.length && start < one.offset + one.length);
  return head === undefined || head.text.length > limit / 4 ? '' : `${head.text}\n`;
}

/** Puts the header above a part; spans at the start of the part then cover the header too. */
function repeatHead(head: string, part: MessageText): MessageText {
  if (head === '') return part;
  return {
    text: head + part.text,
    entities: part.entities.map((one) =>
      one.offset === 0 ? { ...one, length: one.length + head.length } : { ...one, offset: one.offset + head.length },
    ),
  };
}
