import type { OutboundBody } from '@signalbox/contracts/conversation/envelope';
import type { Log } from '@signalbox/platform/log';
import { say } from '@signalbox/messages/say';
import type { SendResult } from '../../channel.ts';
import { toChatKey, toTarget } from '../chat-key.ts';
import type { TelegramApi } from '../client.ts';
import type { TelegramPart, TelegramFile } from './encode.ts';
import { classifyFailure, readErrorCode } from '../failure.ts';
import { isEphemeralRef, NO_MESSAGE, createPrivateRef } from '../message-ref.ts';

/*
 * A part for one person of a group:
 *
 * ephemeral message ─ shown ─▶ done
 * │ refused (needs an administrator or a fresh ephemeral message), or not supported
 * ▼
 * private chat ─ sent ─▶ done, below a line that names the group
 * │ blocked
 * ▼
 * one line in the group without the content; further parts are left out
 */

/** The only reader of a part. */
export interface EphemeralReader {
  readonly userId: number;
  /** The ephemeral message to reply to, or null. */
  readonly answers: number | null;
  /** True for the first part: the person is asked only once to write to the bot. */
  readonly isFirst: boolean;
}

/** Sends a part to a chat, or to one person in the chat when `whisper` is set. */
export type SendPart<To extends EphemeralReader | null = EphemeralReader | null> = (
  chatKey: string,
  part: TelegramPart | TelegramFile,
  firstLine: string | null,
  whisper: To,
) => Promise<SendResult>;

/** No ephemeral message has this number, so deleting it only shows whether the server knows the method. */
const NO_SUCH_ID = 2_147_483_647;

/** Finds the only reader of a part; null in private chats, which have one reader anyway. */
export function findEphemeralReader(body: OutboundBody, chatKey: string, place: number): EphemeralReader | null {
  const userId = Number(body.onlyFor);
  if (body.onlyFor === undefined || !Number.isSafeInteger(userId) || toTarget(chatKey).chatId >= 0) return null;
  const answers = /^e(\d+)$/.exec(body.replyTo ?? '')?.[1];
  return { userId, answers: answers === undefined ? null : Number(answers), isFirst: place === 0 };
}

/** Sends messages for one reader. Never throws, and never shows their content to the group. */
export function createEphemeralSender(deps: {
  readonly api: TelegramApi;
  readonly log: Log;
  readonly send: SendPart;
}): SendPart<EphemeralReader> {
  const { api, log, send } = deps;
  let isKnown: boolean | null = null;

  /** Probes whether the server supports ephemeral messages; a server that does not would show them to everybody. */
  const probe = async (chatKey: string, { userId }: EphemeralReader): Promise<SendResult | null> => {
    if (isKnown !== null) return null;
    try {
      await api.deleteEphemeralMessage(toTarget(chatKey).chatId, userId, NO_SUCH_ID);
      isKnown = true;
    } catch (error) {
      const code = readErrorCode(error);
      if (code === null || code >= 500 || code === 429) return classifyFailure(error);
      isKnown = code !== 404 && code !== 401;
      if (!isKnown) log.warn('the server knows no ephemeral messages, what is for one person goes to their chat');
    }
    return null;
  };

  const sendToPrivate: SendPart<EphemeralReader> = async (chatKey, part, firstLine, { userId, isFirst }) => {
    const alone = part.form === 'file' ? part : { ...part, replyTo: null };
    const above = firstLine ?? (isFirst ? say('gateway.from-group') : null);
    const sent = await send(toChatKey(userId), alone, above, null);
    if (sent.kind === 'sent') return { kind: 'sent', messageId: createPrivateRef(userId, sent.messageId) };
    if (sent.kind !== 'blocked') return sent;
    if (!isFirst) return { kind: 'sent', messageId: NO_MESSAGE };
    const replyTo = part.form === 'file' ? null : part.replyTo;
    return send(
      chatKey,
      { form: 'text', text: say('gateway.write-me-first'), entities: [], keyboard: [], replyTo },
      null,
      null,
    );
  };

  return async (chatKey, part, firstLine, whisper) => {
    const unclear = await probe(chatKey, whisper);
    if (unclear) return unclear;
    if (isKnown) {
      const sent = await send(chatKey, part, firstLine, whisper);
      if (sent.kind === 'sent' && !isEphemeralRef(sent.messageId)) {
        isKnown = false;
        log.error('a message for one person was shown to the group, and taken away', { chatKey });
        await api.deleteMessage(toTarget(chatKey).chatId, Number(sent.messageId)).catch(() => undefined);
      } else if (sent.kind !== 'rejected' && sent.kind !== 'gone') {
        return sent;
      } else {
        log.info('ephemeral message refused, sent in private', { chatKey, sent });
      }
    }
    return sendToPrivate(chatKey, part, firstLine, whisper);
  };
}
