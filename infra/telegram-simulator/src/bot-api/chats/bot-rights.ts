import type { ChatMember, User } from 'grammy/types';
import type { BotStatus } from '../../store/event.ts';
import { findChat, toGroupChat } from '../../store/chat-shapes.ts';
import { getUnixSeconds } from '../../store/new-message.ts';
import { GROUP, type Person, toUser } from '../../store/people.ts';
import { requireMember } from '../../people/person-access.ts';
import type { Store } from '../../store/store.ts';

function toBotMember(store: Store, status: BotStatus): ChatMember {
  const { id, is_bot, first_name, username } = store.bot;
  const user: User = { id, is_bot, first_name, username };
  if (status === 'member') return { status, user };
  if (status === 'kicked') return { status, user, until_date: 0 };
  return { status, user, ...RIGHTS };
}

/** Makes the bot an administrator or a plain member of the group, or removes it. Idempotent. */
export function changeBotStatus(
  store: Store,
  change: { readonly by: number; readonly status: BotStatus },
): { readonly updateId: number | null } {
  const person = requireMember(store, change.by, GROUP.id);
  const before = store.state.botStatus;
  if (before === change.status) return { updateId: null };
  store.commit({ kind: 'botStatus', status: change.status });
  return notifyBotStatus(store, { person, chatId: GROUP.id, before, after: change.status });
}

/** Notifies the bot of its new status in a chat and who changed it. */
export function notifyBotStatus(
  store: Store,
  change: { readonly person: Person; readonly chatId: number; readonly before: BotStatus; readonly after: BotStatus },
): { readonly updateId: number | null } {
  return {
    updateId: store.updates.add({
      my_chat_member: {
        chat: findChat(store.state, change.chatId) ?? toGroupChat(),
        from: toUser(change.person),
        date: getUnixSeconds(),
        old_chat_member: toBotMember(store, change.before),
        new_chat_member: toBotMember(store, change.after),
      },
    }),
  };
}

/** Administrator rights; the bot gets every right that it can use. */
const RIGHTS = {
  can_be_edited: false,
  is_anonymous: false,
  can_manage_chat: true,
  can_delete_messages: true,
  can_manage_video_chats: false,
  can_restrict_members: false,
  can_promote_members: false,
  can_change_info: false,
  can_invite_users: false,
  can_post_stories: false,
  can_edit_stories: false,
  can_delete_stories: false,
  can_send_welcome_messages: false,
  can_pin_messages: true,
  can_manage_topics: true,
} as const;
