import { toPlainName } from '@signalbox/contracts/plain-name';
import type { Handoff, MessageEnvelope } from '@signalbox/contracts/conversation/envelope';
import { createControlMessage } from './control-line.ts';
import type { InboxUpdate } from '../rows/inbox.ts';
import { sayError } from '@signalbox/messages/say';
import { newTraceId } from '@signalbox/contracts/ids';
import {
  classifyUpdate,
  MASKED_CODE,
  isAccessCodeMessage,
  type UpdateIntent,
  type PersonUpdate,
  type PlanOptions,
  type PossibleCode,
} from './choice.ts';
import { parseCommand } from '../commands/registry.ts';
import type { GatewayQuestion } from '../commands/question.ts';
import { NO_SECRETS_SENT, type SentSecrets } from './secrets/sent-secrets.ts';

export interface AdmissionPlan {
  readonly admission: InboxUpdate;
  readonly envelope: MessageEnvelope;
  readonly language: string | null;
  /** The command or question that is answered in the same transaction. */
  readonly answer: GatewayQuestion | null;
  /** A text that may be an access code; it is tried before admission. */
  readonly code: PossibleCode | null;
  /** The inbox id of the voice note that this press confirms or declines; null for any other update. */
  readonly voiceNote: number | null;
  /** The agent that gets the person's words by this press; null for any other update. */
  readonly handoff: Handoff | null;
  readonly secrets: SentSecrets;
  readonly answers: string | null;
  readonly pressed: { readonly pressId: string; readonly chatKey: string; readonly messageId: string | null } | null;
  /** The update as the channel decoded it, with secrets removed; never stored or logged. */
  readonly sent: PersonUpdate;
}

/** Telegram delivers an album part by part within a fraction of a second; the first part waits this long for the others. */
const ALBUM_HOLD_MS = 700;
/** Clients send the parts of a split text in sequence. Each part waits this long for the next. */
const CUT_HOLD_MS = 1_000;
/** The shortest time between two answers to a person without a role. */
const STRANGER_EVERY_MS = 3_600_000;

/** Plans what an update asks for; pure but for new ids. `/new` with text gives two plans, another bot's group command none. */
export function planUpdate(
  update: PersonUpdate,
  options: PlanOptions,
  secrets: SentSecrets = NO_SECRETS_SENT,
): readonly AdmissionPlan[] {
  if (update.kind === 'edit' && isAccessCodeMessage(update.text))
    return [planOne({ ...update, kind: 'text', named: true, whisper: false, attachments: [] }, options, secrets)];
  const command = update.kind === 'text' ? parseCommand(update.text) : null;
  if (update.kind === 'text' && command?.name === null && !update.named && !update.onlyRest) return [];
  if (update.kind === 'text' && command?.name === 'new' && command.rest !== '') {
    const textUpdate = { ...update, updateId: `${update.updateId}:text`, text: command.rest };
    return [planOne({ ...update, text: '/new' }, options, NO_SECRETS_SENT), planOne(textUpdate, options, secrets)];
  }
  return [planOne(update, options, secrets)];
}

function planOne(update: PersonUpdate, options: PlanOptions, secrets: SentSecrets): AdmissionPlan {
  const choice = classifyUpdate(update, options);
  const envelope = createEnvelope(update, options, choice.text);
  const line: CreateLine = ({ key, text, replyTo }) =>
    createControlMessage(envelope, key, {
      text,
      buttons: [],
      ...replyField(replyTo ?? (whisper ? messageId : null)),
      // In a group only the person concerned sees the message.
      ...(update.chatKind === 'group' ? { onlyFor: update.userKey } : {}),
    });
  const { text: _, messageId, button: __, attachments: ___, album: ____, whisper, ...head } = envelope;
  const isNew = choice.verdict === 'new';
  const cut = choice.verdict === 'message' ? findCut(update) : null;
  const stored = { ...toStoredEnvelope(update, { head, envelope, text: choice.text }), ...(cut ? { cut } : {}) };
  return {
    envelope,
    language: options.language,
    answer: choice.answer,
    answers: (update.kind === 'text' && update.answers) || null,
    code: choice.code,
    voiceNote: null,
    handoff: null,
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
      rest: canBeRest(update),
      verdict: update.kind === 'text' && update.onlyRest ? 'join' : choice.verdict,
      reason: choice.reason,
      press: update.kind === 'press' ? { outboxId: update.outboxId, index: update.index } : null,
      edit: choice.edit,
      holdMs: getHoldMs(envelope, cut !== null),
      reply: choice.refusal && line(choice.refusal),
      stranger: createStrangerLine(update, line),
      strangerEveryMs: STRANGER_EVERY_MS,
    },
  };
}

/** True for the sender's own text without attachments or a known command: clients split only such texts. */
function canBeRest(update: PersonUpdate): boolean {
  if (update.kind !== 'text' || update.messageId === null || update.album !== null) return false;
  if ((parseCommand(update.text)?.name ?? null) !== null) return false;
  return update.attachments.length === 0 && update.borrowed !== 'forward' && update.borrowed !== 'bot';
}

/** Where and when a client may have split the text; null when the text is whole. */
function findCut(update: PersonUpdate): { readonly at: string; readonly joint: string } | null {
  if (update.kind !== 'text' || update.cut === undefined || !canBeRest(update)) return null;
  return { at: update.at, joint: update.cut };
}

function getHoldMs({ album }: MessageEnvelope, isCut: boolean): number {
  if (isCut) return CUT_HOLD_MS;
  return album === undefined ? 0 : ALBUM_HOLD_MS;
}

function toStoredEnvelope(
  update: PersonUpdate,
  made: { readonly head: object; readonly envelope: MessageEnvelope; readonly text: string },
): InboxUpdate['envelope'] & { readonly kind: string } {
  const { head, envelope, text } = made;
  if (update.kind === 'edit') return { ...head, kind: 'edit', messageId: envelope.messageId, text };
  return update.kind === 'mode' ? { ...head, kind: 'mode', ...update.reads } : envelope;
}

/** The plan of a message that is an access code; the code itself is not stored. */
export function toCodePlan(
  plan: AdmissionPlan,
  answer: GatewayQuestion,
  toStranger: { readonly key: string; readonly text: string } | null,
): AdmissionPlan {
  const envelope = { ...plan.envelope, text: MASKED_CODE };
  const { stranger } = plan.admission;
  return {
    ...plan,
    envelope,
    answer,
    admission: {
      ...plan.admission,
      envelope,
      verdict: 'answer',
      // A person who tries a code is always answered, unlike other strangers, who are answered once an hour.
      stranger:
        stranger && toStranger
          ? { ...stranger, key: toStranger.key, body: { ...stranger.body, text: toStranger.text } }
          : stranger,
      strangerEveryMs: 0,
    },
  };
}

type CreateLine = (said: NonNullable<UpdateIntent['refusal']>) => NonNullable<InboxUpdate['reply']>;

function createStrangerLine(update: PersonUpdate, line: CreateLine): InboxUpdate['stranger'] {
  // Strangers in a group get no answer. A press is answered by a toast; edits and modes follow a message.
  if (update.chatKind === 'group' || ['press', 'edit', 'mode'].includes(update.kind)) return null;
  const text = sayError('STRANGER', { name: toPlainName(update.name), id: update.userKey });
  return line({ key: `stranger:${update.chatKey}:${update.updateId}`, text });
}

function createEnvelope(update: PersonUpdate, options: PlanOptions, text: string): MessageEnvelope {
  return {
    kind: 'message',
    id: `${options.channel}:${options.bot}:${update.updateId}`,
    channel: options.channel,
    bot: options.bot,
    updateId: update.updateId,
    userKey: update.userKey,
    chatKey: update.chatKey,
    chatKind: update.chatKind,
    traceId: update.trace?.traceId ?? newTraceId(),
    ...(update.trace ? { traceparent: update.trace.traceparent } : {}),
    at: update.at,
    name: update.name,
    text,
    messageId: update.messageId,
    ...fileFields(update),
    ...(update.reads ? { reads: update.reads } : {}),
    ...('borrowed' in update && update.borrowed ? { borrowed: update.borrowed } : {}),
    ...('whisper' in update && update.whisper ? { whisper: true as const } : {}),
    ...('gate' in update && update.gate ? { gate: update.gate } : {}),
    button: update.kind === 'press' ? { outboxId: update.outboxId, index: update.index } : null,
  };
}

function replyField(messageId: string | null): { readonly replyTo?: string } {
  return messageId === null ? {} : { replyTo: messageId };
}

function fileFields(update: PersonUpdate): Pick<MessageEnvelope, 'attachments' | 'album'> {
  if (!('attachments' in update) || update.attachments.length === 0) return {};
  const { attachments, album } = update;
  return { attachments: [...attachments], ...(album === null ? {} : { album }) };
}
