import type { MessageEntity } from 'grammy/types';
import { createBadRequest } from '../../bot-error.ts';
import { findUrlProblem } from './url-rules.ts';

export interface FormattedText {
  readonly text: string;
  readonly entities: readonly MessageEntity[];
}

const MAX_ENTITIES = 100;
/** TDLib refuses larger offsets and lengths without reading the text. */
const MAX_BOUND = 1_000_000;

/** Validates entities, cleans and trims the text, and detects commands and links, as Telegram does. Throws BotError 400. */
export function formatBotText(text: string, entities: readonly MessageEntity[]): FormattedText {
  if (text === '') throw createBadRequest('message text is empty');
  if (/\p{Surrogate}/u.test(text)) throw createBadRequest('strings must be encoded in UTF-8');
  for (const entity of entities) checkEntity(text, entity);
  const cleaned = cleanText(text);
  const trimmed = trimText(
    cleaned.text,
    entities.filter((entity) => entity.length > 0).map((entity) => moveEntity(entity, cleaned.moveOffset)),
  );
  if (trimmed.text === '') throw createBadRequest('text must be non-empty');
  const found = detectEntities(trimmed.text).filter((one) => !trimmed.entities.some((other) => collides(one, other)));
  const sorted = [...trimmed.entities, ...found].sort((a, b) => a.offset - b.offset || b.length - a.length);
  return { text: trimmed.text, entities: sorted.slice(0, MAX_ENTITIES) };
}

const URL_PATTERN = /https?:\/\/[^\s<>"'`]+/giu;
const COMMAND_PATTERN = /(?<![\w/<>@])\/[A-Za-z0-9_]{1,64}(?:@[A-Za-z0-9_]{3,32})?(?![\w/<>])/g;
const MENTION_PATTERN = /(?<![\w@/])@[A-Za-z][A-Za-z0-9_]{3,31}(?!\w)/g;

/** Finds commands, mentions and http links, as Telegram does in all messages. */
export function detectEntities(text: string): MessageEntity[] {
  const urls = [...text.matchAll(URL_PATTERN)].map((match) => {
    const url = match[0].replace(/[.,:;!?)\]}]+$/u, '');
    return { type: 'url' as const, offset: match.index, length: url.length };
  });
  const others = [
    ...[...text.matchAll(COMMAND_PATTERN)].map((match) => toEntity('bot_command', match)),
    ...[...text.matchAll(MENTION_PATTERN)].map((match) => toEntity('mention', match)),
  ].filter((entity) => !urls.some((url) => overlaps(url, entity)));
  return [...urls, ...others].sort((a, b) => a.offset - b.offset);
}

function toEntity(type: 'bot_command' | 'mention', match: RegExpExecArray): MessageEntity.CommonMessageEntity {
  return { type, offset: match.index, length: match[0].length };
}

const NEEDED: Readonly<Record<string, string>> = {
  text_link: 'url',
  text_mention: 'user',
  custom_emoji: 'custom_emoji_id',
};

function checkEntity(text: string, entity: MessageEntity): void {
  const { type, offset, length } = entity;
  const needed = NEEDED[type];
  if (needed && !(needed in entity)) throw createBadRequest(`can't parse MessageEntity: Can't find field "${needed}"`);
  if (offset < 0 || offset > MAX_BOUND) throw createBadRequest(`receive an entity with incorrect offset ${offset}`);
  if (length < 0 || length > MAX_BOUND) throw createBadRequest(`receive an entity with incorrect length ${length}`);
  if (length === 0) return;
  const end = offset + length;
  if (offset > text.length)
    throw createBadRequest(`entity begins after the end of the text at UTF-16 offset ${offset}`);
  if (end > text.length) {
    throw createBadRequest(
      `entity beginning at UTF-16 offset ${offset} ends after the end of the text at UTF-16 offset ${end}`,
    );
  }
  if (splitsPair(text, offset)) {
    throw createBadRequest(`entity begins in a middle of a UTF-16 symbol at byte offset ${byteOffset(text, offset)}`);
  }
  if (splitsPair(text, end)) {
    throw createBadRequest(
      `entity beginning at UTF-16 offset ${offset} ends in a middle of a UTF-16 symbol at byte offset ${byteOffset(text, end)}`,
    );
  }
  if (entity.type !== 'text_link') return;
  const problem = findUrlProblem(entity.url);
  if (problem) throw createBadRequest(`entity URL '${entity.url}' is invalid: ${problem}`);
}

function splitsPair(text: string, offset: number): boolean {
  return offset > 0 && offset < text.length && (text.codePointAt(offset - 1) ?? 0) > 0xffff;
}

/** Returns the byte position at which TDLib reports an offset inside a symbol. */
function byteOffset(text: string, offset: number): number {
  return Buffer.byteLength(text.slice(0, offset + 1));
}

/** Removes carriage returns and replaces other control characters by spaces; maps old offsets to new ones. */
function cleanText(text: string): { text: string; moveOffset: (offset: number) => number } {
  // eslint-disable-next-line no-control-regex -- control characters are the subject
  const spaced = text.replace(/[\u0000-\u0009\u000b\u000c\u000e-\u001f]/g, ' ');
  if (!spaced.includes('\r')) return { text: spaced, moveOffset: (offset) => offset };
  const removedBefore = (offset: number): number => spaced.slice(0, offset).split('\r').length - 1;
  return { text: spaced.replaceAll('\r', ''), moveOffset: (offset) => offset - removedBefore(offset) };
}

function moveEntity(entity: MessageEntity, move: (offset: number) => number): MessageEntity {
  const offset = move(entity.offset);
  return { ...entity, offset, length: move(entity.offset + entity.length) - offset };
}

/** Trims the end fully, and the start up to the first entity. */
function trimText(text: string, entities: readonly MessageEntity[]): FormattedText {
  let end = text.length;
  while (end > 0 && isBlank(text[end - 1])) end -= 1;
  const kept = entities
    .map((entity) => ({ ...entity, length: Math.min(entity.length, end - entity.offset) }))
    .filter((entity) => entity.length > 0);
  const firstEntity = Math.min(end, ...kept.map((entity) => entity.offset));
  let start = 0;
  while (start < firstEntity && isBlank(text[start])) start += 1;
  return {
    text: text.slice(start, end),
    entities: kept.map((entity) => ({ ...entity, offset: entity.offset - start })),
  };
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\n';
}

/** Entities in which nothing is detected, unlike bold text or quotations. */
const OPAQUE = new Set(['pre', 'code', 'text_link', 'text_mention', 'url', 'mention', 'bot_command', 'custom_emoji']);

function collides(found: MessageEntity, given: MessageEntity): boolean {
  return OPAQUE.has(given.type) && overlaps(found, given);
}

function overlaps(a: MessageEntity, b: MessageEntity): boolean {
  return a.offset < b.offset + b.length && b.offset < a.offset + a.length;
}
