import { z } from 'zod';
import { sendChatAction } from './chats/bot-chats.ts';
import { deleteMyCommands, getMyCommands, setMyCommands } from './chats/bot-commands.ts';
import { sendMessageDraft, sendRichMessageDraft } from './messages/bot-drafts.ts';
import { answerCallbackQuery } from './messages/bot-clicks.ts';
import { deleteMessage } from './messages/bot-deletions.ts';
import { editMessageReplyMarkup, editMessageText } from './messages/bot-edits.ts';
import {
  deleteEphemeralMessage,
  editEphemeralMessageReplyMarkup,
  editEphemeralMessageText,
} from './messages/bot-ephemeral.ts';
import { getFile } from './bot-files.ts';
import { createSendMethod } from './messages/bot-media.ts';
import { sendMessage, sendRichMessage } from './messages/bot-messages.ts';
import { type Parameters, allowedUpdates, acceptInteger, parseParameters } from './bot-parameters.ts';
import { getChatMenuButton, setChatMenuButton } from './chats/bot-menu.ts';
import { deleteWebhook, getWebhookInfo, setWebhook } from './bot-webhook.ts';
import type { Store } from '../store/store.ts';

/** Telegram's maximum duration of a long poll. */
const MAX_POLL_SECONDS = 50;
const MAX_BATCH = 100;
const GetUpdates = z.object({
  offset: acceptInteger('offset must be an Integer').default(0),
  limit: acceptInteger('limit must be an Integer').default(MAX_BATCH),
  timeout: acceptInteger('timeout must be an Integer').default(0),
  allowed_updates: allowedUpdates,
});

/** Runs one Bot API method; throws BotError to refuse. The signal aborts when the bot disconnects or the simulator closes. */
export type BotMethod = (store: Store, parameters: Parameters, signal: AbortSignal) => unknown;

export const BOT_METHODS = {
  getMe: (store) => store.bot,
  getUpdates,
  setWebhook,
  deleteWebhook,
  getWebhookInfo,
  sendMessage,
  sendRichMessage,
  sendDocument: createSendMethod('document'),
  sendPhoto: createSendMethod('photo'),
  sendVoice: createSendMethod('voice'),
  getFile,
  sendMessageDraft,
  sendRichMessageDraft,
  editMessageText,
  editMessageReplyMarkup,
  deleteMessage,
  editEphemeralMessageText,
  editEphemeralMessageReplyMarkup,
  deleteEphemeralMessage,
  answerCallbackQuery,
  sendChatAction,
  setMyCommands,
  getMyCommands,
  deleteMyCommands,
  setChatMenuButton,
  getChatMenuButton,
} satisfies Record<string, BotMethod>;

const BY_NAME: ReadonlyMap<string, BotMethod> = new Map(
  Object.entries(BOT_METHODS).map(([name, method]) => [name.toLowerCase(), method]),
);

/** Finds a method by name, ignoring case as Telegram does. */
export function findMethod(name: string): BotMethod | undefined {
  return BY_NAME.get(name.toLowerCase());
}

/** getUpdates: polls for at most 50 seconds; the signal ends it with an empty list. */
function getUpdates(store: Store, parameters: Parameters, signal: AbortSignal): Promise<readonly unknown[]> {
  const given = parseParameters(GetUpdates, parameters);
  return store.updates.poll({
    offset: given.offset,
    limit: given.limit >= 1 && given.limit <= MAX_BATCH ? given.limit : MAX_BATCH,
    timeoutMs: Math.min(Math.max(given.timeout, 0), MAX_POLL_SECONDS) * 1000,
    allowedUpdates: given.allowed_updates,
    signal,
  });
}
