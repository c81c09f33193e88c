import type { Log } from '@signalbox/shared/log';
import type { Channel, Sent } from '../channel.ts';
import { toTarget } from './chat-key.ts';
import { createApi } from './client.ts';
import { encode, putAbove, type TelegramPart } from './encode.ts';
import { classify, isEntityProblem } from './failure.ts';
import { POLL_TIMEOUT_SECONDS, startPolling } from './poll.ts';

/** A send that takes longer has an unknown fate; Telegram answers within a second when it is well. */
const SEND_TIMEOUT_SECONDS = 20;

/** Opens Telegram. Nothing is called before `listen` or the first send. */
export function createTelegram(options: {
  readonly token: string;
  readonly apiRoot: string;
  readonly log: Log;
}): Channel {
  const api = createApi({ ...options, timeoutSeconds: SEND_TIMEOUT_SECONDS });
  const pollApi = createApi({ ...options, timeoutSeconds: POLL_TIMEOUT_SECONDS });
  const { log } = options;

  const attempt = async (call: () => Promise<string>): Promise<Sent> => {
    try {
      return { kind: 'sent', messageId: await call() };
    } catch (error) {
      return classify(error);
    }
  };

  /** Tries with entities, and once more as plain text if Telegram cannot read them. */
  const attemptPart = async (part: TelegramPart, call: (part: TelegramPart) => Promise<string>): Promise<Sent> => {
    const sent = await attempt(() => call(part));
    if (sent.kind === 'sent' || !isEntityProblem(sent) || part.entities.length === 0) return sent;
    log.warn('entities refused, sent as plain text', { detail: 'detail' in sent ? sent.detail : null });
    return attempt(() => call({ ...part, entities: [] }));
  };

  /** For calls whose failure nobody needs to know: the message itself matters, not its decoration. */
  const ignoreFailure = async (what: string, call: () => Promise<unknown>): Promise<void> => {
    await call().catch((error: unknown) => log.debug('telegram call failed', { what, error }));
  };

  return {
    name: 'telegram',
    bot: options.token.split(':')[0] ?? '',
    owns: (chatKey) => chatKey.startsWith('telegram:'),
    // Telegram's groups have negative ids.
    paceOf: (chatKey) => (toTarget(chatKey).chatId < 0 ? 'group' : 'private'),
    encode,
    send: (chatKey, given, firstLine) => {
      const part = asPart(given);
      return attemptPart(
        firstLine === null ? part : putAbove(firstLine, part),
        async ({ text, entities, keyboard, replyTo }) => {
          const { chatId, thread } = toTarget(chatKey);
          const message = await api.sendMessage(chatId, text, {
            ...thread,
            ...toOptions(entities, keyboard),
            // Whoever deleted the question gets the answer all the same.
            ...(replyTo === null
              ? {}
              : { reply_parameters: { message_id: replyTo, allow_sending_without_reply: true } }),
            // A preview makes Telegram fetch the address: a text could carry a secret out that way.
            link_preview_options: { is_disabled: true },
          });
          return String(message.message_id);
        },
      );
    },
    edit: async (chatKey, messageId, given) => {
      const sent = await attemptPart(asPart(given), async ({ text, entities, keyboard }) => {
        await api.editMessageText(toTarget(chatKey).chatId, Number(messageId), text, {
          ...toOptions(entities, keyboard),
          link_preview_options: { is_disabled: true },
        });
        return messageId;
      });
      const unchanged = sent.kind === 'rejected' && /message is not modified/i.test(sent.detail);
      return unchanged ? { kind: 'sent', messageId } : sent;
    },
    remove: (chatKey, messageId) =>
      ignoreFailure('deleteMessage', () => api.deleteMessage(toTarget(chatKey).chatId, Number(messageId))),
    removeButtons: (chatKey, messageId) =>
      ignoreFailure('editMessageReplyMarkup', () =>
        api.editMessageReplyMarkup(toTarget(chatKey).chatId, Number(messageId), {
          reply_markup: { inline_keyboard: [] },
        }),
      ),
    answerPress: (pressId, toast) =>
      ignoreFailure('answerCallbackQuery', () =>
        api.answerCallbackQuery(pressId, toast === null ? {} : { text: toast }),
      ),
    typing: (chatKey) =>
      ignoreFailure('sendChatAction', () => {
        const { chatId, thread } = toTarget(chatKey);
        return api.sendChatAction(chatId, 'typing', thread);
      }),
    listen: (admit) => startPolling({ api: pollApi, log, admit }),
  };
}

function toOptions(entities: TelegramPart['entities'], keyboard: TelegramPart['keyboard']) {
  return {
    // Entities are ours, so their types are Telegram's; grammY declares one type per kind and wants a mutable list.
    entities: entities as unknown as NonNullable<
      Parameters<ReturnType<typeof createApi>['sendMessage']>[2]
    >['entities'] &
      object,
    ...(keyboard.length > 0 ? { reply_markup: { inline_keyboard: keyboard } } : {}),
  };
}

function asPart(part: Readonly<Record<string, unknown>>): TelegramPart {
  return part as TelegramPart; // parts come back only from `encode` above
}
