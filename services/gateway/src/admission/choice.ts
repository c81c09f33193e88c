import { MAX_INBOUND_LENGTH } from '@signalbox/contracts/conversation/envelope';
import { isCertainlyCode, looksLikeCode } from '@signalbox/store/people/access-code';
import { say, sayError } from '@signalbox/messages/say';
import type { InboxUpdate } from '../rows/inbox.ts';
import { formatBytes } from '@signalbox/contracts/file-name';
import type { IncomingUpdate } from '../channels/channel.ts';
import { isProgramCommand, parseCommand } from '../commands/registry.ts';
import type { GatewayQuestion } from '../commands/question.ts';

export type PersonUpdate = Extract<
  IncomingUpdate,
  { kind: 'text' | 'album-part' | 'press' | 'edit' | 'mode' | 'not-text' }
>;

/** A text that may be an access code. `sure`: it can be nothing else. `exposed`: it was sent into a group, which voids it. */
export interface PossibleCode {
  readonly text: string;
  readonly sure: boolean;
  readonly exposed: boolean;
}

export interface PlanOptions {
  readonly channel: string;
  readonly bot: string;
  readonly language: string | null;
  readonly withinLimit: boolean;
  /** False when the channel shows no toasts: a press on an expired button is then answered by a message. */
  readonly hasToasts: boolean;
  readonly fileLimitBytes: number;
  /** Size limit of voice notes; null when no transcriber is configured. */
  readonly voiceLimitBytes: number | null;
  readonly window: { readonly id: number; readonly leftMs: number };
}

/** What one update asks for, before the database is read. */
export interface UpdateIntent extends Pick<InboxUpdate, 'verdict' | 'reason' | 'edit'> {
  readonly answer: GatewayQuestion | null;
  readonly code: PossibleCode | null;
  /** The text to store: shortened in a refused message, masked when it is a code. */
  readonly text: string;
  readonly refusal: {
    readonly key: string;
    readonly text: string;
    /** The message to reply to; by default the newest one. */
    readonly replyTo?: string;
  } | null;
}

/** Characters stored of a refused message: enough to recognize it. */
const STORED_TEXT_LENGTH = 200;
export const MASKED_CODE = '/start';

/** Classifies one update without database access; permissions are checked later. */
export function classifyUpdate(update: PersonUpdate, options: PlanOptions): UpdateIntent {
  const text = 'text' in update ? update.text : '';
  const plain: UpdateIntent = {
    verdict: 'message',
    reason: null,
    answer: null,
    code: null,
    edit: null,
    text,
    refusal: null,
  };
  const refuse = (reason: string, key: string, sentence: string): UpdateIntent => ({
    ...plain,
    verdict: 'refuse',
    reason,
    text: shorten(text),
    refusal: { key, text: sentence },
  });
  const command = parseCommand(text);
  if (!options.withinLimit && command?.name !== 'stop') {
    const seconds = String(Math.ceil(options.window.leftMs / 1_000));
    return refuse('too fast', `too-fast:${update.userKey}:${options.window.id}`, sayError('TOO_FAST', { seconds }));
  }
  if (update.kind === 'edit') return classifyEdit(update, plain);
  if (update.kind === 'press') {
    const key = `button-expired:${update.chatKey}:${update.updateId}`;
    const refusal = options.hasToasts ? null : { key, text: sayError('BUTTON_EXPIRED', {}) };
    return { ...plain, verdict: 'press', refusal };
  }
  if (update.kind === 'mode') return plain;
  if (update.kind === 'not-text') {
    const sentence = sayError('NOT_TEXT', { what: say(`admission.${update.what}`) });
    return refuse('not text', `not-text:${update.chatKey}:${update.messageId}`, sentence);
  }
  const large = update.attachments.find(({ sizeBytes }) => (sizeBytes ?? 0) > options.fileLimitBytes);
  if (large) {
    const data = {
      name: large.name ?? say('admission.that-file'),
      size: formatBytes(large.sizeBytes ?? 0),
      limit: formatBytes(options.fileLimitBytes),
    };
    return refuse('too large', `too-large:${update.chatKey}:${update.updateId}`, sayError('FILE_TOO_LARGE', data));
  }
  if (options.voiceLimitBytes !== null && isVoiceNote(update)) {
    if ((update.attachments[0]?.sizeBytes ?? 0) <= options.voiceLimitBytes)
      return { ...plain, verdict: 'answer', answer: { kind: 'voice' } };
    const sentence = say('voice.too-large', { limit: formatBytes(options.voiceLimitBytes) });
    return refuse('voice too large', `too-large:${update.chatKey}:${update.updateId}`, sentence);
  }
  if (text.length > MAX_INBOUND_LENGTH) {
    const data = { length: formatCount(text.length), limit: formatCount(MAX_INBOUND_LENGTH) };
    return refuse('too long', `too-long:${update.chatKey}:${update.updateId}`, sayError('TOO_LONG', data));
  }
  if (update.kind === 'album-part') return { ...plain, verdict: 'join' };
  // A bot's text redeems no code and runs no command meant for people.
  if (update.kind === 'text' && update.borrowed === 'bot') {
    if (typeof command?.name === 'string' && !isProgramCommand(command.name)) {
      const sentence = say('gateway.command-of-people', { name: command.name });
      return refuse('command of people', `command-of-people:${update.chatKey}:${update.updateId}`, sentence);
    }
    if (command === null) return plain;
  }
  if (command?.name === 'new') return { ...plain, verdict: 'new' };
  if (command?.name === null)
    return {
      ...plain,
      verdict: 'answer',
      answer: { kind: 'unknown-command', typed: command.typed },
      text: shorten(text),
    };
  if (command?.name === 'start' && looksLikeCode(command.rest)) {
    const code = { text: command.rest, sure: true, exposed: update.chatKind === 'group' };
    return { ...plain, verdict: 'answer', answer: { kind: 'command', ...command }, code, text: MASKED_CODE };
  }
  if (command) return { ...plain, verdict: 'answer', answer: { kind: 'command', ...command }, text: shorten(text) };
  if (!looksLikeCode(text)) return plain;
  return { ...plain, code: { text, sure: isCertainlyCode(text), exposed: update.chatKind === 'group' } };
}

/** True for a recording without text; beside a text it is an attachment. */
function isVoiceNote(update: PersonUpdate): update is Extract<PersonUpdate, { kind: 'text' }> {
  if (update.kind !== 'text' || update.text.trim() !== '' || update.attachments.length !== 1) return false;
  return update.attachments.every(({ kind }) => kind === 'voice' || kind === 'audio') && update.album === null;
}

/** An edit into a command leaves the waiting text unchanged: commands are answered at once. */
function classifyEdit(update: Extract<PersonUpdate, { kind: 'edit' }>, plain: UpdateIntent): UpdateIntent {
  const { text, messageId, album, chatKey, unseen, borrowed } = update;
  const fits = text.length <= MAX_INBOUND_LENGTH && parseCommand(text) === null;
  return {
    ...plain,
    verdict: 'edit',
    text: shorten(text),
    edit: {
      messageId,
      album,
      text: fits ? text : null,
      kept: shorten(text),
      mayBeNew: unseen !== undefined,
      ...(borrowed === undefined ? {} : { borrowed }),
      lines: describeLateEdits(),
    },
    refusal: { key: `edited:${chatKey}:${messageId}`, text: say('admission.edited-answered'), replyTo: messageId },
  };
}

/** One reply for each state in which a message may be when its edit arrives too late. */
function describeLateEdits(): NonNullable<InboxUpdate['edit']>['lines'] {
  return {
    working: say('admission.edited-working'),
    answered: say('admission.edited-answered'),
    waiting: say('admission.edited-waiting'),
    stopped: say('admission.edited-stopped'),
    refused: say('admission.edited-refused'),
    failed: say('admission.edited-failed'),
  };
}

/** True when the text is only a code, alone or after `/start`. */
export function isAccessCodeMessage(text: string): boolean {
  return isCertainlyCode(text) || (parseCommand(text)?.name === 'start' && looksLikeCode(withoutStartCommand(text)));
}

function shorten(text: string): string {
  const isCode = looksLikeCode(withoutStartCommand(text));
  return isCode ? MASKED_CODE : Buffer.from(text.slice(0, STORED_TEXT_LENGTH)).toString();
}

function withoutStartCommand(text: string): string {
  return text.replace(/^\/start(@\w+)?\s/i, '');
}

function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}
