import { plainName } from '@signalbox/contracts/plain-name';
import type { MessageEnvelope } from '@signalbox/contracts/conversation/envelope';
import { controlLine } from './control-line.ts';
import type { Admission } from './inbox.ts';
import { sayError } from '@signalbox/messages/say';
import { newTraceId } from '@signalbox/contracts/ids';
import {
  choose,
  CODE_KEPT,
  isSentCode,
  type Choice,
  type FromPerson,
  type PlanOptions,
  type SentCode,
} from './choice.ts';
import { parseCommand } from '../commands/registry.ts';
import type { Question } from '../commands/question.ts';
import { NO_SECRETS, type SentSecrets } from './secrets/sent-secrets.ts';

/** What is to be done with one update of a person, before anybody looked into the database. */
export interface Plan {
  readonly admission: Admission;
  readonly envelope: MessageEnvelope;
  /** What its sender reads; null when nobody knows. */
  readonly language: string | null;
  /** What to answer in the same transaction. */
  readonly answer: Question | null;
  /** What may be a code, to be tried before the rest. */
  readonly code: SentCode | null;
  /** The voice note whose question was pressed: see voice/voice-press.ts. */
  readonly voiceNote: number | null;
  /** What was taken out of it before. */
  readonly secrets: SentSecrets;
  /** The message of ours that it answers. */
  readonly answers: string | null;
  readonly pressed: { readonly pressId: string; readonly chatKey: string; readonly messageId: string | null } | null;
  /** The update as it came, with what was taken out of it: never stored, and never logged. */
  readonly sent: FromPerson;
}

/**
 * Telegram brings the parts of an album one by one, within a fraction of a second. So long the first part waits for the
 * others before a turn may take it; a part that comes later is a message of its own.
 */
const ALBUM_HOLD_MS = 700;
/** Clients send the parts of a text that they cut one behind the other. So long the last one that came waits for the next. */
const CUT_HOLD_MS = 1_000;
/** A stranger is answered at most this often. */
const STRANGER_EVERY_MS = 3_600_000;

/**
 * Decides what an update asks for. Pure but for new ids. A `/new` with words behind it is two things; a command that is not
 * ours, in a group where we were not named, is another bot's and nothing to us. A message that was edited into a code is that
 * code, because no person mistypes one twice on purpose.
 */
export function planUpdate(
  update: FromPerson,
  options: PlanOptions,
  secrets: SentSecrets = NO_SECRETS,
): readonly Plan[] {
  if (update.kind === 'edit' && isSentCode(update.text))
    return [planOne({ ...update, kind: 'text', named: true, whisper: false, attachments: [] }, options, secrets)];
  const command = update.kind === 'text' ? parseCommand(update.text) : null;
  if (update.kind === 'text' && command?.name === null && !update.named && !update.onlyRest) return [];
  if (update.kind === 'text' && command?.name === 'new' && command.rest !== '') {
    const after = { ...update, updateId: `${update.updateId}:text`, text: command.rest };
    return [planOne({ ...update, text: '/new' }, options, NO_SECRETS), planOne(after, options, secrets)];
  }
  return [planOne(update, options, secrets)];
}

function planOne(update: FromPerson, options: PlanOptions, secrets: SentSecrets): Plan {
  const choice = choose(update, options);
  const envelope = createEnvelope(update, options, choice.text);
  const line: Line = ({ key, text, replyTo }) =>
    controlLine(envelope, key, {
      text,
      buttons: [],
      ...answering(replyTo ?? (whisper ? messageId : null)),
      // In a group only the one whom it concerns is to see it.
      ...(update.chatKind === 'group' ? { onlyFor: update.userKey } : {}),
    });
  const { text: _, messageId, button: __, attachments: ___, album: ____, whisper, ...head } = envelope;
  const isNew = choice.verdict === 'new';
  const cut = choice.verdict === 'message' ? cutOf(update) : null;
  const stored = { ...storedOf(update, { head, envelope, text: choice.text }), ...(cut ? { cut } : {}) };
  return {
    envelope,
    language: options.language,
    answer: choice.answer,
    answers: (update.kind === 'text' && update.answers) || null,
    code: choice.code,
    voiceNote: null,
    secrets,
    pressed:
      update.kind === 'press'
        ? { pressId: update.pressId, chatKey: update.chatKey, messageId: update.messageId }
        : null,
    sent: update,
    admission: {
      channel: options.channel,
      bot: options.bot,
      updateId: update.updateId,
      userKey: update.userKey,
      chatKey: update.chatKey,
      kind: isNew ? 'command' : stored.kind,
      name: update.name,
      traceId: envelope.traceId,
      envelope: isNew ? { ...head, kind: 'command', command: 'new', messageId } : stored,
      rest: mayBeRest(update),
      verdict: update.kind === 'text' && update.onlyRest ? 'join' : choice.verdict,
      reason: choice.reason,
      press: update.kind === 'press' ? { outboxId: update.outboxId, index: update.index } : null,
      edit: choice.edit,
      holdMs: holdOf(envelope, cut !== null),
      reply: choice.refusal && line(choice.refusal),
      stranger: strangerLine(update, line),
      strangerEveryMs: STRANGER_EVERY_MS,
    },
  };
}

/**
 * Whether words are one's own and nothing else: only such a text is cut by a client, and only such a one is the rest of another. A command
 * of ours is none: with `/secret` or `/stop` a person means what it does, whatever they wrote a moment before.
 */
function mayBeRest(update: FromPerson): boolean {
  if (update.kind !== 'text' || update.messageId === null || update.album !== null) return false;
  if ((parseCommand(update.text)?.name ?? null) !== null) return false;
  return update.attachments.length === 0 && update.borrowed !== 'forward' && update.borrowed !== 'bot';
}

/** Where a client may have cut an update, and when. */
function cutOf(update: FromPerson): { readonly at: string; readonly joint: string } | null {
  if (update.kind !== 'text' || update.cut === undefined || !mayBeRest(update)) return null;
  return { at: update.at, joint: update.cut };
}

function holdOf({ album }: MessageEnvelope, isCut: boolean): number {
  if (isCut) return CUT_HOLD_MS;
  return album === undefined ? 0 : ALBUM_HOLD_MS;
}

/** What is stored of an update, when it is no command. */
function storedOf(
  update: FromPerson,
  made: { readonly head: object; readonly envelope: MessageEnvelope; readonly text: string },
): Admission['envelope'] & { readonly kind: string } {
  const { head, envelope, text } = made;
  if (update.kind === 'edit') return { ...head, kind: 'edit', messageId: envelope.messageId, text };
  return update.kind === 'mode' ? { ...head, kind: 'mode', ...update.reads } : envelope;
}

/** The plan of a message that turned out to be a code, whatever it looked like: the code itself is not kept. */
export function asCode(
  plan: Plan,
  answer: Question,
  toStranger: { readonly key: string; readonly text: string } | null,
): Plan {
  const envelope = { ...plan.envelope, text: CODE_KEPT };
  const { stranger } = plan.admission;
  return {
    ...plan,
    envelope,
    answer,
    admission: {
      ...plan.admission,
      envelope,
      verdict: 'answer',
      // Not the line that is said once an hour: a person who tries a code wants to know.
      stranger:
        stranger && toStranger
          ? { ...stranger, key: toStranger.key, body: { ...stranger.body, text: toStranger.text } }
          : stranger,
      strangerEveryMs: 0,
    },
  };
}

type Line = (said: NonNullable<Choice['refusal']>) => NonNullable<Admission['reply']>;

function strangerLine(update: FromPerson, line: Line): Admission['stranger'] {
  // In a group the answer would be noise for everybody; a press gets its toast, and the others follow a message.
  if (update.chatKind === 'group' || ['press', 'edit', 'mode'].includes(update.kind)) return null;
  const text = sayError('STRANGER', { name: plainName(update.name), id: update.userKey });
  return line({ key: `stranger:${update.chatKey}:${update.updateId}`, text });
}

function createEnvelope(update: FromPerson, options: PlanOptions, text: string): MessageEnvelope {
  return {
    kind: 'message',
    id: `${options.channel}:${options.bot}:${update.updateId}`,
    channel: options.channel,
    bot: options.bot,
    updateId: update.updateId,
    userKey: update.userKey,
    chatKey: update.chatKey,
    chatKind: update.chatKind,
    traceId: newTraceId(),
    at: update.at,
    name: update.name,
    text,
    messageId: update.messageId,
    ...files(update),
    ...(update.reads ? { reads: update.reads } : {}),
    ...('borrowed' in update && update.borrowed ? { borrowed: update.borrowed } : {}),
    ...('whisper' in update && update.whisper ? { whisper: true as const } : {}),
    button: update.kind === 'press' ? { outboxId: update.outboxId, index: update.index } : null,
  };
}

function answering(messageId: string | null): { readonly replyTo?: string } {
  return messageId === null ? {} : { replyTo: messageId };
}

function files(update: FromPerson): Pick<MessageEnvelope, 'attachments' | 'album'> {
  if (!('attachments' in update) || update.attachments.length === 0) return {};
  const { attachments, album } = update;
  return { attachments: [...attachments], ...(album === null ? {} : { album }) };
}
