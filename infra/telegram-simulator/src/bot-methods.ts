import { getChat, getChatMember, getChatMemberCount, sendChatAction } from './bot-chats.ts';
import { deleteMyCommands, getMyCommands, setMyCommands } from './bot-commands.ts';
import { sendMessageDraft, sendRichMessageDraft } from './bot-drafts.ts';
import { answerCallbackQuery } from './bot-clicks.ts';
import { deleteMessage, deleteMessages } from './bot-deletions.ts';
import { editMessageCaption, editMessageReplyMarkup, editMessageText } from './bot-edits.ts';
import {
  deleteEphemeralMessage,
  editEphemeralMessageCaption,
  editEphemeralMessageReplyMarkup,
  editEphemeralMessageText,
} from './bot-ephemeral.ts';
import { getFile } from './bot-files.ts';
import { copyMessage, forwardMessage } from './bot-forwards.ts';
import { sendDocument, sendPhoto, sendVoice } from './bot-media.ts';
import { sendMessage, sendRichMessage } from './bot-messages.ts';
import type { Parameters } from './bot-parameters.ts';
import { getChatMenuButton, getProfileText, setChatMenuButton, setProfileText } from './bot-profile.ts';
import { setMessageReaction } from './bot-reactions.ts';
import { getUpdates } from './bot-polling.ts';
import { closeForumTopic, createForumTopic, deleteForumTopic, editForumTopic, reopenForumTopic } from './bot-topics.ts';
import { deleteWebhook, getWebhookInfo, setWebhook } from './bot-webhook.ts';
import type { World } from './world.ts';

/** Answers one call. The signal ends a call that waits: the bot hung up, or the simulator closes. */
export type BotMethod = (world: World, parameters: Parameters, signal: AbortSignal) => unknown;

/** Every method this simulator knows. */
export const BOT_METHODS = {
  getMe: (world) => world.bot,
  getUpdates,
  setWebhook,
  deleteWebhook,
  getWebhookInfo,
  sendMessage,
  sendRichMessage,
  sendDocument,
  sendPhoto,
  sendVoice,
  getFile,
  sendMessageDraft,
  sendRichMessageDraft,
  editMessageText,
  editMessageCaption,
  editMessageReplyMarkup,
  deleteMessage,
  deleteMessages,
  forwardMessage,
  copyMessage,
  setMessageReaction,
  editEphemeralMessageText,
  editEphemeralMessageCaption,
  editEphemeralMessageReplyMarkup,
  deleteEphemeralMessage,
  createForumTopic,
  editForumTopic,
  closeForumTopic,
  reopenForumTopic,
  deleteForumTopic,
  answerCallbackQuery,
  sendChatAction,
  setMyCommands,
  getMyCommands,
  deleteMyCommands,
  getChat,
  getChatMember,
  getChatMemberCount,
  setMyName: setProfileText('name'),
  getMyName: getProfileText('name'),
  setMyDescription: setProfileText('description'),
  getMyDescription: getProfileText('description'),
  setMyShortDescription: setProfileText('short_description'),
  getMyShortDescription: getProfileText('short_description'),
  setChatMenuButton,
  getChatMenuButton,
} satisfies Record<string, BotMethod>;

const BY_NAME: ReadonlyMap<string, BotMethod> = new Map(
  Object.entries(BOT_METHODS).map(([name, method]) => [name.toLowerCase(), method]),
);

/** The method of a name: Telegram does not mind the case. */
export function findMethod(name: string): BotMethod | undefined {
  return BY_NAME.get(name.toLowerCase());
}
