import { createHash } from 'node:crypto';
import { ClientFrame } from '@signalbox/contracts/conversation/frames';
import { newId } from '@signalbox/contracts/ids';
import type { PageMode } from '@signalbox/contracts/conversation/page-mode';
import { parseJson } from '@signalbox/contracts/system-error';
import type { IncomingUpdate } from '../../channel.ts';
import { getSession } from '../chat-key.ts';

/** The person and browser of a page. */
export interface PageVisitor {
  readonly chatKey: string;
  readonly userKey: string;
  readonly name: string;
  /** The browser's language, as a BCP 47 code. */
  readonly language: string | null;
}

/** The longest update id that the inbox takes. */
const MAX_UPDATE_ID_LENGTH = 120;
/** Admission adds a few characters to ids. */
const ROOM = 10;
/** Names no outbox row; used for a button that the page invented. */
const NO_ROW = '0';

/** Parses a frame of a page for this session; null for other text. */
export function parseClientFrame(raw: string, chatKey: string): ClientFrame | null {
  const frame = ClientFrame.safeParse(parseJson(raw)).data;
  if (frame?.sessionId !== getSession(chatKey)) return null;
  if (frame.type !== 'client.message') return frame;
  // Removes half surrogate pairs and NUL, which Postgres refuses.
  const text = frame.payload.text.toWellFormed().replaceAll('\0', '');
  return text === '' ? null : { ...frame, payload: { ...frame.payload, text } };
}

/** Turns a frame into an update; `reads` is the page mode. Mode changes get a new id each, since repeating them is harmless. */
export function toIncomingUpdate(
  frame: ClientFrame,
  { chatKey, userKey, name, language }: PageVisitor,
  reads: PageMode,
): Extract<IncomingUpdate, { kind: 'text' | 'press' | 'mode' }> {
  const id = frame.type === 'client.mode.update' ? newId('mode') : frame.payload.id;
  const from = {
    updateId: toUpdateId(chatKey, id),
    userKey,
    chatKey,
    chatKind: 'private',
    name,
    at: new Date().toISOString(),
    reads,
    ...(language === null ? {} : { language }),
  } as const;
  if (frame.type === 'client.mode.update') return { ...from, kind: 'mode', reads: frame.payload, messageId: null };
  if (frame.type === 'client.message') {
    const sent = { named: true, whisper: false, attachments: [], album: null } as const;
    return { ...from, ...sent, kind: 'text', text: frame.payload.text, messageId: `in.${id}` };
  }
  const { componentId, version, index } = frame.payload;
  const outboxId = /^\d{1,15}$/.test(version) ? version : NO_ROW;
  return { ...from, kind: 'press', pressId: `${chatKey}#${id}`, outboxId, index, messageId: componentId };
}

/** The chat of a pressed button. */
export function getChatOfPress(pressId: string): string {
  return pressId.split('#', 1)[0] ?? '';
}

/** Derives an update id that is unique to the message and session and ends with the page's own id. */
function toUpdateId(chatKey: string, id: string): string {
  const session = chatKey.slice('web:'.length);
  const isShort = session.length + id.length + ROOM <= MAX_UPDATE_ID_LENGTH;
  return `${isShort ? session : createHash('sha256').update(session).digest('hex')}:${id}`;
}
