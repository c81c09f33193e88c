import { createHash } from 'node:crypto';
import { MAX_TEXT_LENGTH } from '@signalbox/contracts/conversation/envelope';
import { attempt, parseJson } from '@signalbox/contracts/system-error';
import { makeStorable } from '@signalbox/contracts/storable';
import { say } from '@signalbox/messages/say';
import { z } from 'zod';
import { CONVERSATION_NAME, toChatKey, toOutboxId, toUserKey } from '../chat-key.ts';
import type { Incoming } from '../../channel.ts';
import type { Source } from '../sources.ts';

/** The header in which a sender names an event, so that it may send it again. */
export const KEY_HEADER = 'idempotency-key';

const Key = z.string().regex(/^[\x21-\x7e]{1,120}$/, { error: () => say('ingress.key-wrong') });

/** What a program sends. */
const EventBody = z
  .strictObject({
    /** Words for the agent. */
    text: z.string().trim().min(1).max(MAX_TEXT_LENGTH).optional(),
    /** A button of an earlier answer that is pressed instead. */
    press: z
      .strictObject({
        message: z.string().refine((id) => toOutboxId(id) !== null, { error: () => say('ingress.message-wrong') }),
        index: z.int().min(0).max(99),
      })
      .optional(),
    /** Events with the same one follow each other, as messages in a chat. */
    conversation: z
      .string()
      .regex(CONVERSATION_NAME, { error: () => say('ingress.conversation-wrong') })
      .optional(),
    /** The address that its answers are sent to: one of those that the source has. */
    replyTo: z.string().optional(),
    /** As the header idempotency-key, and covered by the signature. */
    id: Key.optional(),
  })
  .refine(({ text, press }) => (text === undefined) !== (press === undefined), {
    error: () => say('ingress.text-or-press'),
  });

/** An event as its sender means it. */
export interface SentEvent {
  readonly what: z.infer<typeof EventBody>;
  /** Its name for its sender; null when it has none. */
  readonly key: string | null;
  /** Where its answers go; null: they are read. */
  readonly callback: string | null;
  /** Of the body as it was sent. */
  readonly bodySha256: string;
}

/** Reads the body of a request whose signature is right. A text says what is wrong with it, for whoever wrote the program. */
export function readEvent(source: Source, raw: Buffer, keyHeader: unknown): SentEvent | string {
  const text = attempt(() => new TextDecoder('utf-8', { fatal: true }).decode(raw), null);
  const json = text === null ? undefined : parseJson(text);
  if (json === undefined) return say('ingress.no-json');
  const parsed = EventBody.safeParse(json);
  if (!parsed.success) return describe(parsed.error);
  const header = Key.optional().safeParse(keyHeader);
  if (!header.success) return `${KEY_HEADER}: ${describe(header.error)}`;
  const { data: what } = parsed;
  if (what.id !== undefined && header.data !== undefined && what.id !== header.data) return say('ingress.key-twice');
  const { replyTo } = what;
  // Never any other address: it would be ours that calls it.
  if (replyTo !== undefined && !source.callbacks.includes(replyTo)) return say('ingress.reply-elsewhere');
  return {
    what,
    key: what.id ?? header.data ?? null,
    callback: replyTo ?? source.callbacks[0] ?? null,
    bodySha256: createHash('sha256').update(raw).digest('hex'),
  };
}

/** The event as the gateway admits it. */
export function toIncoming(source: Source, eventId: string, { what }: SentEvent): Incoming {
  const { name, account } = source;
  const sender = {
    updateId: eventId,
    userKey: toUserKey(name),
    chatKind: 'private',
    name: account.kind === 'service' ? account.name : name,
    at: new Date().toISOString(),
    // A program passes on what it was given: alerts and logs are full of text that somebody else wrote.
    borrowed: 'bot',
  } as const;
  const { press } = what;
  if (press)
    return {
      ...sender,
      kind: 'press',
      // Where the button stands decides which conversation hears of it.
      chatKey: toChatKey(name, null),
      pressId: eventId,
      outboxId: toOutboxId(press.message) ?? '0',
      index: press.index,
      messageId: null,
    };
  return {
    ...sender,
    kind: 'text',
    chatKey: toChatKey(name, what.conversation ?? eventId),
    text: makeStorable(what.text ?? ''),
    messageId: eventId,
    named: true,
    whisper: false,
    attachments: [],
    album: null,
  };
}

function describe({ issues }: z.ZodError): string {
  return issues
    .slice(0, 5)
    .map(({ path, message }) => (path.length === 0 ? message : `${z.core.toDotPath(path)}: ${message}`))
    .join('; ')
    .slice(0, 500);
}
