import type { ChatMember } from 'grammy/types';
import { z } from 'zod';
import { deleteMyCommands, getMyCommands, setMyCommands } from './bot-commands.ts';
import { badRequest } from './bot-error.ts';
import {
  deleteMessage,
  editMessageReplyMarkup,
  editMessageText,
  requireChat,
  requireWritableChat,
  sendMessage,
} from './bot-messages.ts';
import { chatId, flag, integer, jsonOf, parseParameters, type Parameters } from './bot-parameters.ts';
import { findChat } from './message-shapes.ts';
import { GROUP, toUser } from './people.ts';
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
    editMessageText,
    editMessageReplyMarkup,
    deleteMessage,
    answerCallbackQuery,
    sendChatAction,
    setMyCommands,
    getMyCommands,
    deleteMyCommands,
    getChat,
    getChatMember,
    getChatMemberCount: (world, parameters) => {
      const id = requireChat(world, parseParameters(OneChat, parameters).chat_id);
      return 1 + (id === GROUP.id ? [...world.state.people.values()].filter((person) => person.inGroup).length : 1);
    },
    // These only change a profile that the simulator does not show: accepted and forgotten.
    setMyName: () => true,
    setMyDescription: () => true,
    setMyShortDescription: () => true,
    setChatMenuButton: () => true,
  } satisfies Record<string, BotMethod>).map(([name, method]) => [name.toLowerCase(), method]),
);

/** Telegram's server answers a long poll after this time at the latest. */
const MAX_POLL_SECONDS = 50;
const MAX_BATCH = 100;
const GetUpdates = z.object({
  offset: integer('offset must be an Integer').default(0),
  limit: integer('limit must be an Integer').default(MAX_BATCH),
  timeout: integer('timeout must be an Integer').default(0),
  allowed_updates: jsonOf(
    z.array(z.string(), { error: "can't parse allowed_updates: expected an Array of String" }),
    "can't parse allowed_updates JSON object",
  ).optional(),
});

function getUpdates(world: World, parameters: Parameters, signal: AbortSignal): Promise<readonly unknown[]> {
  const given = parseParameters(GetUpdates, parameters);
  return world.updates.poll({
    offset: given.offset,
    limit: given.limit >= 1 && given.limit <= MAX_BATCH ? given.limit : MAX_BATCH,
    timeoutMs: Math.min(Math.max(given.timeout, 0), MAX_POLL_SECONDS) * 1000,
    allowedUpdates: given.allowed_updates,
    signal,
  });
}

const Webhook = z.object({ url: z.string().default(''), drop_pending_updates: flag.default(false) });

function setWebhook(world: World, parameters: Parameters): true {
  if (parseParameters(Webhook, parameters).url !== '') {
    throw badRequest('the simulator has no webhooks: the bot has to call getUpdates');
  }
  return deleteWebhook(world, parameters);
}

function deleteWebhook(world: World, parameters: Parameters): true {
  if (parseParameters(Webhook, parameters).drop_pending_updates) world.updates.dropAll();
  return true;
}

function getWebhookInfo(world: World): object {
  const allowed = world.state.allowedUpdates;
  return {
    url: '',
    has_custom_certificate: false,
    pending_update_count: world.state.updates.size,
    ...(allowed.length === 0 ? {} : { allowed_updates: allowed }),
  };
}

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

/** Clients show a chat action for five seconds. */
const CHAT_ACTION_MS = 5_000;
const CHAT_ACTIONS = [
  'typing',
  'upload_photo',
  'record_video',
  'upload_video',
  'record_voice',
  'upload_voice',
  'upload_document',
  'choose_sticker',
  'find_location',
  'record_video_note',
  'upload_video_note',
  'cancel',
];
const SendChatAction = z.object({
  chat_id: chatId,
  action: z.enum(CHAT_ACTIONS, { error: 'wrong parameter action in request' }),
});

function sendChatAction(world: World, parameters: Parameters): true {
  const given = parseParameters(SendChatAction, parameters);
  const chat = requireWritableChat(world, given.chat_id);
  const expiresInMs = given.action === 'cancel' ? 0 : CHAT_ACTION_MS;
  world.typingUntil.set(chat, Date.now() + expiresInMs);
  world.announce({ kind: 'chatAction', chatId: chat, action: given.action, expiresInMs });
  return true;
}

const OneChat = z.object({ chat_id: chatId });

function getChat(world: World, parameters: Parameters): object {
  const chat = findChat(world.state, requireChat(world, parseParameters(OneChat, parameters).chat_id));
  if (!chat) throw badRequest('chat not found');
  const shared = { accent_color_id: 0, max_reaction_count: 11, accepted_gift_types: NO_GIFTS };
  return chat.type === 'group'
    ? { ...chat, ...shared, permissions: { can_send_messages: true } }
    : { ...chat, ...shared };
}

const NO_GIFTS = {
  unlimited_gifts: false,
  limited_gifts: false,
  unique_gifts: false,
  premium_subscription: false,
  gifts_from_channels: false,
};

const ChatMemberOf = OneChat.extend({ user_id: integer('invalid user_id specified') });

function getChatMember(world: World, parameters: Parameters): ChatMember {
  const given = parseParameters(ChatMemberOf, parameters);
  const chat = requireChat(world, given.chat_id);
  if (given.user_id === world.bot.id) {
    const { id, is_bot, first_name, username } = world.bot;
    return { status: 'member', user: { id, is_bot, first_name, username } };
  }
  const person = world.state.people.get(given.user_id);
  if (!person) throw badRequest('user not found');
  const isMember = chat === GROUP.id ? person.inGroup : person.id === chat;
  return { status: isMember ? 'member' : 'left', user: toUser(person) };
}
