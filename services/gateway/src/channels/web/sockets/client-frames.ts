import { createHash } from 'node:crypto';
import { ClientFrame } from '@signalbox/contracts/conversation/frames';
import { newId } from '@signalbox/contracts/ids';
import type { PageMode } from '@signalbox/contracts/conversation/page-mode';
import { parseJson } from '@signalbox/contracts/system-error';
import type { IncomingUpdate } from '../../channel.ts';
import { getSession } from '../chat-key.ts';

/** Whose page says something. */
export interface Speaker {
  readonly chatKey: string;
  readonly userKey: string;
  readonly name: string;
  /** The language of the browser, as a BCP 47 code. */
  readonly language: string | null;
}

/** What an inbox takes as the id of an update. */
const MAX_UPDATE_ID_LENGTH = 120;
/** For what admission puts between and behind them. */
const ROOM = 10;
/** Stands for no row: a button that was made up. */
const NO_ROW = '0';

/** Reads what a page sent to this session; null for anything that is no frame of it. */
export function readFrame(raw: string, chatKey: string): ClientFrame | null {
  const frame = ClientFrame.safeParse(parseJson(raw)).data;
  if (frame?.sessionId !== getSession(chatKey)) return null;
  if (frame.type !== 'client.message') return frame;
  // What no database takes: halves of characters, and the character that is none.
  const text = frame.payload.text.toWellFormed().replaceAll('\0', '');
  return text === '' ? null : { ...frame, payload: { ...frame.payload, text } };
}

/** What a frame asks for. `reads`: how the page is used. A mode has no id of its own: said twice it is what it was. */
export function toIncoming(
  frame: ClientFrame,
  { chatKey, userKey, name, language }: Speaker,
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
export function chatOfPress(pressId: string): string {
  return pressId.split('#', 1)[0] ?? '';
}

/** The same message of a session has the same one, and no other session's has it. It ends with the page's own id. */
function toUpdateId(chatKey: string, id: string): string {
  const session = chatKey.slice('web:'.length);
  const isShort = session.length + id.length + ROOM <= MAX_UPDATE_ID_LENGTH;
  return `${isShort ? session : createHash('sha256').update(session).digest('hex')}:${id}`;
}
