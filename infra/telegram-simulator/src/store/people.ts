import type { User, UserFromGetMe } from 'grammy/types';
import { z } from 'zod';

export const Role = z.enum(['admin', 'developer', 'operator', 'viewer', 'stranger']);
export type Role = z.infer<typeof Role>;

/** A person who can write to the bot. The role is only a description and grants nothing. */
export const Person = z.object({
  id: z.int().positive(),
  name: z.string().min(1).max(64),
  role: Role,
  inGroup: z.boolean(),
  /** Client language as an IETF tag; English by default. */
  language: z.string().min(2).max(35).optional(),
});
export type Person = Readonly<z.infer<typeof Person>>;

/** The group, a supergroup with topics. Its id is shorter than Telegram's, which begin with -100. */
export const GROUP = { id: -2001, title: 'ops' } as const;

/** Resolves 'ops' to the group's id, and any other name to a number. */
export function resolveChatName(chat: string | number): number {
  if (chat === GROUP.title) return GROUP.id;
  return typeof chat === 'number' ? chat : Number(chat);
}

/** People at the first start. */
export const FIRST_PEOPLE: readonly Person[] = [
  { id: 1001, name: 'Ada', role: 'admin', inGroup: true },
  { id: 1002, name: 'Ben', role: 'developer', inGroup: true },
  { id: 1003, name: 'Cleo', role: 'operator', inGroup: true },
  { id: 1004, name: 'Dara', role: 'operator', inGroup: true },
  { id: 1005, name: 'Eli', role: 'viewer', inGroup: false },
  { id: 1009, name: 'Zoe', role: 'stranger', inGroup: false },
];

export const BOT_NAME = 'Signalbox';
export const BOT_USERNAME = 'signalbox_bot';

/** Returns the bot as in getMe; its id is the part of the token before the colon. */
export function createBotUser(token: string): UserFromGetMe {
  return {
    id: Number.parseInt(token, 10) || 100,
    is_bot: true,
    first_name: BOT_NAME,
    username: BOT_USERNAME,
    can_join_groups: true,
    can_read_all_group_messages: false,
    supports_inline_queries: false,
    can_connect_to_business: false,
    has_main_web_app: false,
    has_topics_enabled: false,
    allows_users_to_create_topics: false,
    can_manage_bots: false,
    supports_join_request_queries: false,
  };
}

/** Converts a person to the user in updates. */
export function toUser(person: Person): User {
  const { id, name, language = 'en' } = person;
  return { id, is_bot: false, first_name: name, username: usernameOf(person), language_code: language };
}

/** Telegram usernames have at least five letters, so short first names get their id appended. */
function usernameOf(person: Person): string {
  const letters = person.name.toLowerCase().replace(/[^a-z0-9]/g, '');
  return `${letters || 'person'}_${person.id}`;
}
