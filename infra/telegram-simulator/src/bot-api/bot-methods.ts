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
import { sendFile } from './messages/bot-media.ts';
import { sendMessage, sendRichMessage } from './messages/bot-messages.ts';
import type { Parameters } from './bot-parameters.ts';
import { getChatMenuButton, setChatMenuButton } from './chats/bot-menu.ts';
import { getUpdates } from './bot-polling.ts';
import { deleteWebhook, getWebhookInfo, setWebhook } from './bot-webhook.ts';
import type { Store } from '../store/store.ts';

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
  sendDocument: sendFile('document'),
  sendPhoto: sendFile('photo'),
  sendVoice: sendFile('voice'),
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
