import { PRIORITY, TEXT_LIMIT, type MessageEnvelope } from '@signalbox/shared/contracts/envelope';
import { isSurelyCode, looksLikeCode } from '@signalbox/shared/db/access-code';
import type { Admission } from '@signalbox/shared/db/inbox';
import { say } from '@signalbox/shared/errors';
import { newId } from '@signalbox/shared/ids';
import type { Incoming } from './channels/channel.ts';
import { parseCommand } from './command.ts';
import type { Question } from './commands/question.ts';
import { plain } from './words.ts';

export type FromPerson = Extract<Incoming, { kind: 'text' | 'press' | 'not-text' }>;

/** What is to be done with one update of a person, before anybody looked into the database. */
export interface Plan {
  readonly admission: Admission;
  readonly envelope: MessageEnvelope;
  /** What to answer in the same transaction. */
  readonly answer: Question | null;
  /** What may be a code, to be tried before the rest. */
  readonly code: SentCode | null;
  readonly pressed: { readonly pressId: string; readonly chatKey: string; readonly messageId: string | null } | null;
}

/** `sure`: it cannot be anything else. `exposed`: sent into a group, where it is worth nothing. */
export interface SentCode {
  readonly text: string;
  readonly sure: boolean;
  readonly exposed: boolean;
}

export interface PlanOptions {
  readonly channel: string;
  readonly bot: string;
  readonly withinBurst: boolean;
  readonly window: { readonly id: number; readonly leftMs: number };
}

/** How much of a refused message is kept: enough to recognize it. */
const KEPT_LENGTH = 200;
/** What is kept of a message that was a code. */
const CODE_KEPT = '/start';
/** A stranger is answered at most this often. */
const STRANGER_EVERY_MS = 3_600_000;

/**
 * Decides what an update asks for. Pure but for new ids. A `/new` with words behind it is two things; a command that is not
 * ours, in a group where we were not named, is another bot's and nothing to us.
 */
export function planUpdate(update: FromPerson, options: PlanOptions): readonly Plan[] {
  const command = update.kind === 'text' ? parseCommand(update.text) : null;
  if (update.kind === 'text' && command?.name === null && !update.named) return [];
  if (update.kind === 'text' && command?.name === 'new' && command.rest !== '') {
    const after = { ...update, updateId: `${update.updateId}:text`, text: command.rest };
    return [planOne({ ...update, text: '/new' }, options), planOne(after, options)];
  }
  return [planOne(update, options)];
}

type Choice = Pick<Plan, 'answer' | 'code'> &
  Pick<Admission, 'verdict' | 'reason'> & {
    readonly text: string;
    readonly refusal: { readonly key: string; readonly text: string } | null;
  };

function planOne(update: FromPerson, options: PlanOptions): Plan {
  const choice = choose(update, options);
  const envelope = createEnvelope(update, options, choice.text);
  const line = (key: string, text: string): NonNullable<Admission['reply']> => ({
    key,
    chatKey: update.chatKey,
    userKey: update.userKey,
    threadId: null,
    turnId: null,
    traceId: envelope.traceId,
    priority: PRIORITY.control,
    slot: null,
    // In a group only the one whom it concerns is to see it.
    body: { text, buttons: [], ...(update.chatKind === 'group' ? { onlyFor: update.userKey } : {}) },
  });
  const isNew = choice.verdict === 'new';
  const { text: _, messageId: __, button: ___, ...head } = envelope;
  return {
    envelope,
    answer: choice.answer,
    code: choice.code,
    pressed:
      update.kind === 'press'
        ? { pressId: update.pressId, chatKey: update.chatKey, messageId: update.messageId }
        : null,
    admission: {
      channel: options.channel,
      bot: options.bot,
      updateId: update.updateId,
      userKey: update.userKey,
      chatKey: update.chatKey,
      kind: isNew ? 'command' : 'message',
      name: update.name,
      traceId: envelope.traceId,
      envelope: isNew ? { ...head, kind: 'command', command: 'new' } : envelope,
      verdict: choice.verdict,
      reason: choice.reason,
      press: update.kind === 'press' ? { outboxId: update.outboxId, index: update.index } : null,
      reply: choice.refusal && line(choice.refusal.key, choice.refusal.text),
      stranger: strangerLine(update, line),
      strangerEveryMs: STRANGER_EVERY_MS,
    },
  };
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
      // Not the line that is said once an hour: whoever tries a code wants to know.
      stranger:
        stranger && toStranger
          ? { ...stranger, key: toStranger.key, body: { ...stranger.body, text: toStranger.text } }
          : stranger,
      strangerEveryMs: 0,
    },
  };
}

function choose(update: FromPerson, options: PlanOptions): Choice {
  const text = update.kind === 'text' ? update.text : '';
  const plain: Choice = { verdict: 'message', reason: null, answer: null, code: null, text, refusal: null };
  const refuse = (reason: string, key: string, sentence: string): Choice => ({
    ...plain,
    verdict: 'refuse',
    reason,
    text: keep(text),
    refusal: { key, text: sentence },
  });
  const command = parseCommand(text);
  // Whoever asks us to stop is in a hurry for a reason.
  if (!options.withinBurst && command?.name !== 'stop') {
    const seconds = String(Math.ceil(options.window.leftMs / 1_000));
    return refuse('too fast', `too-fast:${update.userKey}:${options.window.id}`, say('TOO_FAST', { seconds }));
  }
  if (update.kind === 'press') return { ...plain, verdict: 'press' };
  if (update.kind === 'not-text') {
    return refuse('not text', `not-text:${update.chatKey}:${update.album}`, say('NOT_TEXT', {}));
  }
  if (text.length > TEXT_LIMIT) {
    const data = { length: format(text.length), limit: format(TEXT_LIMIT) };
    return refuse('too long', `too-long:${update.chatKey}:${update.updateId}`, say('TOO_LONG', data));
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

function strangerLine(
  update: FromPerson,
  line: (key: string, text: string) => NonNullable<Admission['reply']>,
): Admission['stranger'] {
  // In a group the answer would be noise for everybody; a press gets its toast.
  if (update.chatKind === 'group' || update.kind === 'press') return null;
  const sentence = say('STRANGER', { name: plain(update.name), id: update.userKey });
  return line(`stranger:${update.chatKey}:${update.updateId}`, sentence);
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
    traceId: newId('trc'),
    at: update.at,
    name: update.name,
    text,
    messageId: update.messageId,
    button: update.kind === 'press' ? { outboxId: update.outboxId, index: update.index } : null,
  };
}

/** Enough to recognize a message by, unless it is a code. */
function keep(text: string): string {
  const isCode = looksLikeCode(text.replace(/^\/start(@\w+)?\s/i, ''));
  return isCode ? CODE_KEPT : Buffer.from(text.slice(0, KEPT_LENGTH)).toString();
}

function format(count: number): string {
  return count.toLocaleString('en-US');
}
