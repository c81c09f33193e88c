import { randomInt } from 'node:crypto';
import { z } from 'zod';
import { findCommandsFor } from '../bot-api/chats/bot-commands.ts';
import type { StoredMessage } from '../store/event.ts';
import { FileError, type NewFile, storeFile } from '../files/file-store.ts';
import { detectEntities } from '../bot-api/messages/message-entities.ts';
import { getUnixSeconds, putNewMessage } from '../store/new-message.ts';
import { BOT_USERNAME, GROUP, type Person } from '../store/people.ts';
import { ActingPerson, resolveActingChat, PersonError, requireMember, requireMessage } from './person-access.ts';
import { PersonFile } from './person-files.ts';
import { type SentMessage, sendUpdate } from './sent-update.ts';
import { listTopics } from '../store/topic.ts';
import type { Store } from '../store/store.ts';

export const PersonMessage = ActingPerson.extend({
  /** With files, the caption of the first one. */
  text: z.string().default(''),
  replyTo: z.int().nullable().default(null),
  /** Number or name of a topic; null for none. */
  topic: z
    .union([z.int(), z.string().min(1)])
    .nullable()
    .default(null),
  /** True to send the text untrimmed and with any length. */
  raw: z.boolean().default(false),
  files: z.array(PersonFile).default([]),
}).transform(resolveActingChat);

export const PersonEdit = ActingPerson.extend({ messageId: z.int(), text: z.string() }).transform(resolveActingChat);

/** Limits of Telegram clients in UTF-16 units: clients split longer texts and truncate longer captions. */
export const MAX_TEXT_LENGTH = 4096;
const MAX_CAPTION_LENGTH = 1024;
const MAX_ALBUM = 10;

/** Sends a person's text and files; several files form an album. Returns its messages in order. */
export function sendFromPerson(
  store: Store,
  given: z.output<typeof PersonMessage>,
): readonly [SentMessage, ...SentMessage[]] {
  const person = requireMember(store, given.from, given.chatId);
  const { chatId, replyTo, files } = given;
  const text = checkText(given.text, { raw: given.raw, hasFiles: files.length > 0 });
  checkAlbum(files);
  const replied = replyTo === null ? null : requireMessage(store, chatId, replyTo, person.id);
  const topicId = findTopic(chatId, given.topic ?? replied?.topicId ?? null);
  const ephemeral = findEphemeral(store, { person, chatId, text, replied });
  if (chatId === person.id) startContact(store, person);
  const put = (part: string, fileId: string | null, albumId: string | null): SentMessage => {
    const message = putNewMessage(store, {
      chatId,
      fromId: person.id,
      text: part,
      entities: detectEntities(part),
      fileId,
      albumId,
      replyTo,
      topicId,
      ephemeral,
    });
    return sendUpdate(store, 'message', message);
  };
  const [first, ...others] = files.map((file) => storePersonFile(store, file));
  if (first === undefined) return [put(text, null, null)];
  const albumId = others.length === 0 ? null : createAlbumId();
  return [put(text, first, albumId), ...others.map((fileId) => put('', fileId, albumId))];
}

/** Edits a person's text or caption. */
export function editFromPerson(store: Store, edit: z.output<typeof PersonEdit>): SentMessage {
  const person = requireMember(store, edit.from, edit.chatId);
  const old = requireMessage(store, edit.chatId, edit.messageId, person.id);
  if (old.fromId !== person.id) throw new PersonError(403, 'Only the author can edit a message.');
  if (old.ephemeral !== null) throw new PersonError(400, 'An ephemeral message stays as it is.');
  const text = checkText(edit.text, { raw: false, hasFiles: old.fileId !== null });
  if (text === old.text) throw new PersonError(400, 'The text is the same as before.');
  const message = store.putMessage('edit', {
    ...old,
    text,
    entities: detectEntities(text),
    editDate: Math.max(getUnixSeconds(), old.date),
  });
  return sendUpdate(store, 'edited_message', message);
}

function startContact(store: Store, person: Person): void {
  const contact = store.contactOf(person.id);
  if (contact.blocked) throw new PersonError(403, `${person.name} blocked the bot: unblock it first.`);
  if (!contact.started) store.commit({ kind: 'contact', contact: { ...contact, started: true } });
}

function findTopic(chatId: number, given: number | string | null): number | null {
  if (given === null) return null;
  const topic = listTopics(chatId).find((one) => one.topicId === given || one.name === given);
  if (!topic) throw new PersonError(404, `There is no topic ${given} in chat ${chatId}.`);
  return topic.topicId;
}

/** Clients send ephemeral messages for commands declared as such, and for replies to ephemeral messages. */
function findEphemeral(
  store: Store,
  given: { person: Person; chatId: number; text: string; replied: StoredMessage | null },
): StoredMessage['ephemeral'] {
  const { person, chatId, text, replied } = given;
  if (chatId !== GROUP.id) return null;
  const [, name, addressee] = /^\/(\w+)(?:@(\w+))?/.exec(text) ?? [];
  const isDeclared =
    name !== undefined &&
    (addressee === undefined || addressee.toLowerCase() === BOT_USERNAME) &&
    findCommandsFor(store, person.id, chatId, 'en').some((one) => one.command === name && one.is_ephemeral);
  if (!isDeclared && replied?.ephemeral == null) return null;
  return { receiverId: store.bot.id };
}

function checkText(given: string, { raw, hasFiles }: { raw: boolean; hasFiles: boolean }): string {
  if (raw) return given;
  const text = given.trim();
  const max = hasFiles ? MAX_CAPTION_LENGTH : MAX_TEXT_LENGTH;
  if (text === '' && !hasFiles) throw new PersonError(400, 'The text is empty.');
  if (text.length > max) {
    throw new PersonError(400, `The text has ${text.length} UTF-16 units; clients split at ${max}.`);
  }
  return text;
}

function checkAlbum(files: readonly NewFile[]): void {
  if (files.length > MAX_ALBUM) throw new PersonError(400, `An album holds at most ${MAX_ALBUM} files.`);
  const kinds = new Set(files.map((file) => file.kind));
  if (files.length > 1 && (kinds.size > 1 || kinds.has('voice'))) {
    throw new PersonError(400, 'An album holds only photos or only documents; send the others on their own.');
  }
}

function storePersonFile(store: Store, file: NewFile): string {
  try {
    return storeFile(store, file).fileId;
  } catch (error) {
    if (error instanceof FileError) throw new PersonError(400, `The file ${file.name}: ${error.message}`);
    throw error;
  }
}

/** Creates a large number as text, as Telegram does. */
function createAlbumId(): string {
  return `1${randomInt(1e12, 9e12)}`;
}
