import { MAX_TEXT_LENGTH } from '@signalbox/contracts/conversation/envelope';
import { isSurelyCode, looksLikeCode } from '@signalbox/store/people/access-code';
import { say, sayError } from '@signalbox/messages/say';
import type { Admission } from './inbox.ts';
import { formatBytes } from '@signalbox/contracts/file-name';
import type { Incoming } from '../channels/channel.ts';
import { isForPrograms, parseCommand } from '../commands/registry.ts';
import type { Question } from '../commands/question.ts';

/** An update behind which there is a person. */
export type FromPerson = Extract<Incoming, { kind: 'text' | 'album-part' | 'press' | 'edit' | 'mode' | 'not-text' }>;

/** `sure`: it cannot be anything else. `exposed`: sent into a group, where it is worth nothing. */
export interface SentCode {
  readonly text: string;
  readonly sure: boolean;
  readonly exposed: boolean;
}

/** What planning knows besides the update. */
export interface PlanOptions {
  readonly channel: string;
  readonly bot: string;
  readonly language: string | null;
  readonly withinBurst: boolean;
  /** Whether a press can be answered for a moment. Where it cannot, what does not work any more is said. */
  readonly hasToasts: boolean;
  /** Larger files cannot be fetched. */
  readonly fileLimitBytes: number;
  /** Larger voice notes are not listened to; null when none is. */
  readonly voiceLimitBytes: number | null;
  readonly window: { readonly id: number; readonly leftMs: number };
}

/** What an update asks for, as far as the update itself says. */
export interface Choice extends Pick<Admission, 'verdict' | 'reason' | 'edit'> {
  readonly answer: Question | null;
  readonly code: SentCode | null;
  /** What is kept of its text. */
  readonly text: string;
  readonly refusal: {
    readonly key: string;
    readonly text: string;
    /** The message that the line is about, when that is not the newest one. */
    readonly replyTo?: string;
  } | null;
}

/** How much of a refused message is kept: enough to recognize it. */
const KEPT_LENGTH = 200;
/** What is kept of a message that was a code. */
export const CODE_KEPT = '/start';

/** Sorts one update, without looking anywhere: the database decides who may. */
export function choose(update: FromPerson, options: PlanOptions): Choice {
  const text = 'text' in update ? update.text : '';
  const plain: Choice = { verdict: 'message', reason: null, answer: null, code: null, edit: null, text, refusal: null };
  const refuse = (reason: string, key: string, sentence: string): Choice => ({
    ...plain,
    verdict: 'refuse',
    reason,
    text: keep(text),
    refusal: { key, text: sentence },
  });
  const command = parseCommand(text);
  // A person who asks us to stop is in a hurry for a reason.
  if (!options.withinBurst && command?.name !== 'stop') {
    const seconds = String(Math.ceil(options.window.leftMs / 1_000));
    return refuse('too fast', `too-fast:${update.userKey}:${options.window.id}`, sayError('TOO_FAST', { seconds }));
  }
  if (update.kind === 'edit') return chooseEdit(update, plain);
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
  if (text.length > MAX_TEXT_LENGTH) {
    const data = { length: format(text.length), limit: format(MAX_TEXT_LENGTH) };
    return refuse('too long', `too-long:${update.chatKey}:${update.updateId}`, sayError('TOO_LONG', data));
  }
  if (update.kind === 'album-part') return { ...plain, verdict: 'join' };
  // A program's words are nobody's own: they let nobody in, and change no rule.
  if (update.kind === 'text' && update.borrowed === 'bot') {
    if (typeof command?.name === 'string' && !isForPrograms(command.name)) {
      const sentence = say('gateway.command-of-people', { name: command.name });
      return refuse('command of people', `command-of-people:${update.chatKey}:${update.updateId}`, sentence);
    }
    if (command === null) return plain;
  }
  if (command?.name === 'new') return { ...plain, verdict: 'new' };
  if (command?.name === null)
    return { ...plain, verdict: 'answer', answer: { kind: 'unknown-command', typed: command.typed }, text: keep(text) };
  if (command?.name === 'start' && looksLikeCode(command.rest)) {
    const code = { text: command.rest, sure: true, exposed: update.chatKind === 'group' };
    return { ...plain, verdict: 'answer', answer: { kind: 'command', ...command }, code, text: CODE_KEPT };
  }
  if (command) return { ...plain, verdict: 'answer', answer: { kind: 'command', ...command }, text: keep(text) };
  if (!looksLikeCode(text)) return plain;
  return { ...plain, code: { text, sure: isSurelyCode(text), exposed: update.chatKind === 'group' } };
}

/** Whether a message is a recording and nothing else: with words beside it, it is a file, and the words are the message. */
function isVoiceNote(update: FromPerson): update is Extract<FromPerson, { kind: 'text' }> {
  if (update.kind !== 'text' || update.text.trim() !== '' || update.attachments.length !== 1) return false;
  return update.attachments.every(({ kind }) => kind === 'voice' || kind === 'audio') && update.album === null;
}

/** A command cannot take the place of words that wait: it is answered at once, and they are not. */
function chooseEdit(update: Extract<FromPerson, { kind: 'edit' }>, plain: Choice): Choice {
  const { text, messageId, album, chatKey, unseen } = update;
  const fits = text.length <= MAX_TEXT_LENGTH && parseCommand(text) === null;
  return {
    ...plain,
    verdict: 'edit',
    text: keep(text),
    edit: {
      messageId,
      album,
      text: fits ? text : null,
      kept: keep(text),
      mayBeNew: unseen !== undefined,
      lines: describeEdits(),
    },
    refusal: { key: `edited:${chatKey}:${messageId}`, text: say('admission.edited-answered'), replyTo: messageId },
  };
}

/** What the author of an edit that came too late reads, by what had become of the message. */
function describeEdits(): NonNullable<Admission['edit']>['lines'] {
  return {
    working: say('admission.edited-working'),
    answered: say('admission.edited-answered'),
    waiting: say('admission.edited-waiting'),
    stopped: say('admission.edited-stopped'),
    refused: say('admission.edited-refused'),
    failed: say('admission.edited-failed'),
  };
}

/** Whether a text is a code and nothing else, alone or behind /start. */
export function isSentCode(text: string): boolean {
  return isSurelyCode(text) || (parseCommand(text)?.name === 'start' && looksLikeCode(afterStart(text)));
}

/** Enough to recognize a message by, unless it is a code. */
function keep(text: string): string {
  const isCode = looksLikeCode(afterStart(text));
  return isCode ? CODE_KEPT : Buffer.from(text.slice(0, KEPT_LENGTH)).toString();
}

function afterStart(text: string): string {
  return text.replace(/^\/start(@\w+)?\s/i, '');
}

function format(count: number): string {
  return count.toLocaleString('en-US');
}
