import { createHash } from 'node:crypto';
import { MAX_INBOUND_LENGTH } from '@signalbox/contracts/conversation/envelope';
import { GateRequest } from '@signalbox/contracts/operations/gate';
import { tryOr, parseJson } from '@signalbox/contracts/system-error';
import { makeStorable } from '@signalbox/contracts/storable';
import { say } from '@signalbox/messages/say';
import { z } from 'zod';
import { CONVERSATION_NAME_PATTERN, toChatKey, toOutboxId, toUserKey } from '../chat-key.ts';
import type { IncomingUpdate } from '../../channel.ts';
import type { ForeignTrace } from './foreign-trace.ts';
import type { IngressSource } from '../sources.ts';

/** The header that carries an event's idempotency key. */
export const IDEMPOTENCY_KEY_HEADER = 'idempotency-key';

const Key = z.string().regex(/^[\x21-\x7e]{1,120}$/, { error: () => say('ingress.key-wrong') });

/** What a program sends: a text, a press of a button, or a gate. */
export const EventBody = z
  .strictObject({
    /** A message to the agent. */
    text: z.string().trim().min(1).max(MAX_INBOUND_LENGTH).optional(),
    /** The button of an earlier answer to press, instead of a text. */
    press: z
      .strictObject({
        message: z.string().refine((id) => toOutboxId(id) !== null, { error: () => say('ingress.message-wrong') }),
        index: z.int().min(0).max(99),
      })
      .optional(),
    /** The deployment of a pipeline that waits for people, instead of a text. */
    gate: GateRequest.optional(),
    /** The token that the pipeline's forge gave to the job that asks for the gate. */
    token: z.string().min(1).max(16_000).optional(),
    /** Events with the same conversation follow each other, like messages in a chat. */
    conversation: z
      .string()
      .regex(CONVERSATION_NAME_PATTERN, { error: () => say('ingress.conversation-wrong') })
      .optional(),
    /** The callback to send the answers to: one of those that the sources file allows. */
    replyTo: z.string().optional(),
    /** The idempotency key as in the header, but covered by the signature. */
    id: Key.optional(),
  })
  .refine(({ text, press, gate }) => [text, press, gate].filter((one) => one !== undefined).length === 1, {
    error: () => say('ingress.text-or-press'),
  })
  .refine(({ token, gate }) => token === undefined || gate !== undefined, {
    error: () => say('ingress.token-without-gate'),
  });

export interface ProgramEvent {
  readonly what: z.infer<typeof EventBody>;
  /** The idempotency key; null when the event has none. */
  readonly key: string | null;
  /** The address to push answers to; null when the program polls for them. */
  readonly callback: string | null;
  readonly bodySha256: string;
}

/** Parses the body of a request with a valid signature. A string describes the problem to the program's author. */
export function parseEvent(source: IngressSource, raw: Buffer, keyHeader: unknown): ProgramEvent | string {
  const text = tryOr(() => new TextDecoder('utf-8', { fatal: true }).decode(raw), null);
  const json = text === null ? undefined : parseJson(text);
  if (json === undefined) return say('ingress.no-json');
  const parsed = EventBody.safeParse(json);
  if (!parsed.success) return describeProblems(parsed.error);
  const header = Key.optional().safeParse(keyHeader);
  if (!header.success) return `${IDEMPOTENCY_KEY_HEADER}: ${describeProblems(header.error)}`;
  const { data: what } = parsed;
  if (what.id !== undefined && header.data !== undefined && what.id !== header.data) return say('ingress.key-twice');
  const { replyTo } = what;
  // The gateway calls no address that the sources file does not name.
  if (replyTo !== undefined && !source.callbacks.includes(replyTo)) return say('ingress.reply-elsewhere');
  return {
    what,
    key: what.id ?? header.data ?? null,
    callback: replyTo ?? source.callbacks[0] ?? null,
    // A job that asks again has another token for the same gate.
    bodySha256: createHash('sha256')
      .update(what.token === undefined ? raw : JSON.stringify({ ...what, token: '' }))
      .digest('hex'),
  };
}

/** Turns the event into an update to admit. */
export function toIncomingUpdate(
  source: IngressSource,
  eventId: string,
  { what }: ProgramEvent,
  trace: ForeignTrace | null = null,
): IncomingUpdate {
  const { name, account } = source;
  const sender = {
    updateId: eventId,
    userKey: toUserKey(name),
    chatKind: 'private',
    name: account.kind === 'service' ? account.name : name,
    at: new Date().toISOString(),
    trace,
    // Programs pass on text of others, such as alerts and logs.
    borrowed: 'bot',
  } as const;
  const { press } = what;
  if (press)
    return {
      ...sender,
      kind: 'press',
      // The button's own message determines the conversation.
      chatKey: toChatKey(name, null),
      pressId: eventId,
      outboxId: toOutboxId(press.message) ?? '0',
      index: press.index,
      messageId: null,
    };
  const { gate } = what;
  return {
    ...sender,
    kind: 'text',
    // Each gate is a conversation of its own, which ends with its decision.
    chatKey: toChatKey(name, gate ? eventId : (what.conversation ?? eventId)),
    text: gate ? say('gate.what', gate) : makeStorable(what.text ?? ''),
    messageId: eventId,
    named: true,
    whisper: false,
    attachments: [],
    album: null,
    ...(gate ? { gate } : {}),
  };
}

function describeProblems({ issues }: z.ZodError): string {
  return issues
    .slice(0, 5)
    .map(({ path, message }) => (path.length === 0 ? message : `${z.core.toDotPath(path)}: ${message}`))
    .join('; ')
    .slice(0, 500);
}
