import type { ChatMember, User } from 'grammy/types';
import type { BotStatus } from '../../store/event.ts';
import { findChat, toGroupChat } from '../../store/chat-shapes.ts';
import { nowSeconds } from '../../store/new-message.ts';
import { GROUP, type Person, toUser } from '../../store/people.ts';
import { requireMember } from '../../people/person-access.ts';
import type { Store } from '../../store/store.ts';

/** The bot as a member of a chat. */
function toBotMember(store: Store, status: BotStatus): ChatMember {
  const { id, is_bot, first_name, username } = store.bot;
  const user: User = { id, is_bot, first_name, username };
  if (status === 'member') return { status, user };
  if (status === 'kicked') return { status, user, until_date: 0 };
  return { status, user, ...RIGHTS };
}

/** A member of the group makes the bot an administrator, a plain member again, or removes it. Idempotent. */
export function changeBotStatus(
  store: Store,
  change: { readonly by: number; readonly status: BotStatus },
): { readonly updateId: number | null } {
  const person = requireMember(store, change.by, GROUP.id);
  const before = store.state.botStatus;
  if (before === change.status) return { updateId: null };
  store.commit({ kind: 'botStatus', status: change.status });
  return announceMember(store, { person, chatId: GROUP.id, before, after: change.status });
}

/** Tells the bot what it is in a chat now, and who made it that. */
export function announceMember(
  store: Store,
  change: { readonly person: Person; readonly chatId: number; readonly before: BotStatus; readonly after: BotStatus },
): { readonly updateId: number | null } {
  return {
    updateId: store.updates.add({
      my_chat_member: {
        chat: findChat(store.state, change.chatId) ?? toGroupChat(),
        from: toUser(change.person),
        date: nowSeconds(),
        old_chat_member: toBotMember(store, change.before),
        new_chat_member: toBotMember(store, change.after),
      },
    }),
  };
}

/** What an administrator of the group may do; the bot gets all that it could use. */
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
