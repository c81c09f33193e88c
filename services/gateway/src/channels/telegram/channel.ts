import type { Log } from '@signalbox/platform/log';
import type { Channel, ThrottleOptions } from '../channel.ts';
import { linkToMessage, toTarget } from './chat-key.ts';
import { createApi, toApiSignal, type TelegramApi } from './client.ts';
import { createDraftSender, DRAFT_TIMEOUT_SECONDS } from './send/draft.ts';
import { encodeMessage, addLineAbove, type TelegramPart, encodeFiles, type TelegramFile } from './send/encode.ts';
import { createFileSender, UPLOAD_TIMEOUT_SECONDS, type LoadFile } from './send/file-send.ts';
import { createFallbackSender } from './send/part-attempt.ts';
import { setCommandMenus } from './menu.ts';
import { parseRef } from './message-ref.ts';
import { callDeleteMessage, callEditMessage, callRemoveButtons, callSendMessage } from './send/part-call.ts';
import { fetchFile } from './receive/fetch-file.ts';
import { POLL_TIMEOUT_SECONDS, Polling } from './receive/poll.ts';
import { WebhookListener, type WebhookEndpoint } from './receive/webhook.ts';
import { createEphemeralSender, findEphemeralReader, type SendPart, type EphemeralReader } from './send/whisper.ts';

/** Telegram normally answers within a second; the outcome of a slower send is unknown. */
const SEND_TIMEOUT_SECONDS = 20;

/** The limit of getFile for bots (core.telegram.org/bots/api#getfile). */
const DOWNLOAD_LIMIT_BYTES = 20 * 1024 * 1024;

/** Telegram's rate limits for bots (core.telegram.org/bots/faq). */
const LIMITS: ThrottleOptions = { sendsPerSecond: 28, chatSendsPerSecond: 1, chatBurst: 4, groupSendsPerMinute: 20 };
const DRAFT_INTERVAL_MS = 1_000;

/** Creates the Telegram channel. Calls nothing before `listen` or the first send. */
export function createTelegram(options: {
  readonly token: string;
  readonly apiRoot: string;
  readonly log: Log;
  /** The webhook that Telegram calls; null when updates are polled. */
  readonly webhook: WebhookEndpoint | null;
  /** False sends everything as plain messages, for clients that cannot show rich ones. */
  readonly richMessages?: boolean;
  readonly loadFile: LoadFile;
  readonly throttle?: ThrottleOptions;
  /** The shortest time between two drafts; 0 shows no drafts. */
  readonly draftIntervalMs?: number;
}): Channel<(TelegramPart | TelegramFile) & { readonly whisper: EphemeralReader | null }> {
  const api = createApi({ ...options, timeoutSeconds: SEND_TIMEOUT_SECONDS });
  const pollApi = createApi({ ...options, timeoutSeconds: POLL_TIMEOUT_SECONDS });
  const draftApi = createApi({ ...options, timeoutSeconds: DRAFT_TIMEOUT_SECONDS });
  const uploadApi = createApi({ ...options, timeoutSeconds: UPLOAD_TIMEOUT_SECONDS });
  const sendFile = createFileSender({ api: uploadApi, loadFile: options.loadFile });
  const { log, richMessages = true, throttle = LIMITS, draftIntervalMs = DRAFT_INTERVAL_MS, webhook } = options;
  const attemptPart = createFallbackSender({ log, richMessages });
  const showDraft = draftIntervalMs > 0 && createDraftSender({ api: draftApi, richMessages });
  let username: string | null = null;
  for (const one of [api, pollApi]) watchIdentity(one, (bot) => (username = bot.username));

  const sendPart: SendPart = (chatKey, part, firstLine, whisper) => {
    if (part.form === 'file') return sendFile(chatKey, { ...part, caption: firstLine ?? '' }, whisper);
    const shown = firstLine === null ? part : addLineAbove(firstLine, part);
    return attemptPart(shown, (one) => callSendMessage(api, chatKey, one, whisper));
  };
  const sendWhisper = createEphemeralSender({ api, log, send: sendPart });

  /** For calls whose failure is harmless, since they only decorate a message. */
  const ignoreFailure = async (what: string, call: () => Promise<unknown>): Promise<void> => {
    await call().catch((error: unknown) => log.debug('telegram call failed', { what, error }));
  };

  return {
    name: 'telegram',
    bot: options.token.split(':')[0] ?? '',
    way: webhook ? 'webhook' : 'polling',
    takesDecisions: true,
    throttle,
    link: (code) => (username === null ? null : `https://t.me/${username}${code === null ? '' : `?start=${code}`}`),
    messageLink: linkToMessage,
    fileLimitBytes: DOWNLOAD_LIMIT_BYTES,
    // Groups have negative ids in Telegram.
    throttleOf: (chatKey) => (toTarget(chatKey).chatId < 0 ? 'group' : 'private'),
    encode: (body, row) =>
      [...encodeMessage(body, row), ...encodeFiles(body)].map((part, place) => ({
        ...part,
        whisper: findEphemeralReader(body, row.chatKey, place),
      })),
    send: (chatKey, { whisper, ...part }, firstLine) => {
      return whisper ? sendWhisper(chatKey, part, firstLine, whisper) : sendPart(chatKey, part, firstLine, null);
    },
    edit: async (chatKey, messageId, given) => {
      const { whisper: _, ...part } = given;
      const ref = parseRef(chatKey, messageId);
      // Telegram cannot edit a message into a document.
      if (ref.kind === 'none' || part.form === 'file') return { kind: 'gone' };
      const sent = await attemptPart(part, (one) => callEditMessage(api, ref, one).then(() => messageId));
      const unchanged = sent.kind === 'rejected' && /message is not modified/i.test(sent.detail);
      return unchanged ? { kind: 'sent', messageId } : sent;
    },
    remove: async (chatKey, messageId) => {
      const ref = parseRef(chatKey, messageId);
      if (ref.kind !== 'none') await ignoreFailure('delete', () => callDeleteMessage(api, ref));
    },
    removeButtons: async (chatKey, messageId) => {
      const ref = parseRef(chatKey, messageId);
      if (ref.kind !== 'none') await ignoreFailure('removeButtons', () => callRemoveButtons(api, ref));
    },
    fetchFile: (ref, limits) => fetchFile({ ...options, api }, ref, limits),
    answerPress: (pressId, toast) =>
      ignoreFailure('answerCallbackQuery', () =>
        api.answerCallbackQuery(pressId, toast === null ? {} : { text: toast }),
      ),
    typing: (chatKey) =>
      ignoreFailure('sendChatAction', () => {
        const { chatId, thread } = toTarget(chatKey);
        return api.sendChatAction(chatId, 'typing', thread);
      }),
    ...(showDraft ? { drafts: { intervalMs: draftIntervalMs, show: showDraft } } : {}),
    offerCommands: (to, signal) => setCommandMenus(api, to, toApiSignal(signal)),
    ...(webhook ? { serve: () => webhook.server.open() } : {}),
    listen: (admit) =>
      webhook ? new WebhookListener({ api, log, admit, target: webhook }) : new Polling({ api: pollApi, log, admit }),
  };
}

/** Calls `onBot` with every answer to getMe, which every listener calls first. */
function watchIdentity(api: TelegramApi, onBot: (bot: { readonly username: string }) => void): void {
  api.config.use(async (call, method, payload, signal) => {
    const answer = await call(method, payload, signal);
    // the Bot API answers getMe with the bot
    if (method === 'getMe' && answer.ok) onBot(answer.result as { readonly username: string });
    return answer;
  });
}
