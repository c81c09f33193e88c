import { z } from 'zod';
import { getChat, getChatMember, getChatMemberCount, sendChatAction } from './bot-chats.ts';
import { deleteMyCommands, getMyCommands, setMyCommands } from './bot-commands.ts';
import { badRequest } from './bot-error.ts';
import { sendMessageDraft, sendRichMessageDraft } from './bot-drafts.ts';
import { deleteMessage, editMessageCaption, editMessageReplyMarkup, editMessageText } from './bot-edits.ts';
import {
  deleteEphemeralMessage,
  editEphemeralMessageCaption,
  editEphemeralMessageReplyMarkup,
  editEphemeralMessageText,
} from './bot-ephemeral.ts';
import { getFile } from './bot-files.ts';
import { sendDocument, sendPhoto, sendVoice } from './bot-media.ts';
import { sendMessage, sendRichMessage } from './bot-messages.ts';
import { flag, parseParameters, type Parameters } from './bot-parameters.ts';
import { getUpdates } from './bot-polling.ts';
import { closeForumTopic, createForumTopic, deleteForumTopic, editForumTopic, reopenForumTopic } from './bot-topics.ts';
import { deleteWebhook, getWebhookInfo, setWebhook } from './bot-webhook.ts';
import type { World } from './world.ts';

/** Answers one call. The signal ends a call that waits: the bot hung up, or the simulator closes. */
export type BotMethod = (world: World, parameters: Parameters, signal: AbortSignal) => unknown;

/** Every method this simulator knows, by lower-case name: Telegram does not mind the case. */
export const BOT_METHODS: ReadonlyMap<string, BotMethod> = new Map(
  Object.entries({
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
    // These only change a profile that the simulator does not show: accepted and forgotten.
    setMyName: () => true,
    setMyDescription: () => true,
    setMyShortDescription: () => true,
    setChatMenuButton: () => true,
  } satisfies Record<string, BotMethod>).map(([name, method]) => [name.toLowerCase(), method]),
);

/** Telegram's own limits: clients wait for an answer this long, and a toast holds this much. */
const CLICK_EXPIRES_MS = 15 * 60_000;
const MAX_ANSWER_LENGTH = 200;
const AnswerCallbackQuery = z.object({
  callback_query_id: z.coerce.string().default(''),
  text: z.string().max(MAX_ANSWER_LENGTH, 'MESSAGE_TOO_LONG').default(''),
  show_alert: flag.default(false),
  url: z.string().optional(),
});

function answerCallbackQuery(world: World, parameters: Parameters): true {
  const given = parseParameters(AnswerCallbackQuery, parameters);
  const click = world.state.clicks.get(given.callback_query_id);
  if (!click || Date.now() - click.atMs > CLICK_EXPIRES_MS) {
    throw badRequest('query is too old and response timeout expired or query ID is invalid');
  }
  // The client shows the first answer; Telegram accepts later ones and nobody sees them.
  if (click.answer) return true;
  const answer = { text: given.text, showAlert: given.show_alert, url: given.url ?? null };
  world.commit({ kind: 'click', click: { ...click, answer } });
  world.announce({
    kind: 'answer',
    callbackQueryId: click.id,
    personId: click.personId,
    text: answer.text,
    showAlert: answer.showAlert,
  });
  return true;
}
