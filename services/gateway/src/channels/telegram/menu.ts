import type { BotCommand, BotCommandScope, LanguageCode } from 'grammy/types';
import { LANGUAGES } from '@signalbox/messages/language';
import { say } from '@signalbox/messages/say';
import { ADMIN_MENU, MENU, type MenuEntry } from '../menu.ts';
import type { OfferedTo } from '../channel.ts';
import type { ApiSignal, TelegramApi } from './client.ts';
import { classify } from './failure.ts';

/** A list of commands and who is offered it. Of the lists that fit a person, Telegram's clients show the narrowest. */
interface ScopedMenu {
  readonly scope: BotCommandScope;
  readonly entries: readonly MenuEntry[];
}

/**
 * Makes clients offer what they should, in every language: asks first, and sets only what differs. Admins get theirs in their
 * private chat. Throws what the Bot API's client throws; calling it again goes on where it was.
 */
export async function offerMenu(
  api: TelegramApi,
  { everybody, admins, former }: OfferedTo,
  signal: ApiSignal,
): Promise<void> {
  const shared = everybody ? SHARED_MENUS : [];
  for (const menu of [...shared, ...admins.map(menuOfAdmin)]) await offerTo(api, menu, signal);
  for (const person of former) await offerTo(api, { ...menuOfAdmin(person), entries: [] }, signal);
  if (everybody) await offerButton(api, signal);
}

const SHARED_MENUS: readonly ScopedMenu[] = [
  { scope: { type: 'default' }, entries: MENU },
  { scope: { type: 'all_private_chats' }, entries: MENU },
  { scope: { type: 'all_group_chats' }, entries: MENU },
];

function menuOfAdmin(userKey: string): ScopedMenu {
  return { scope: { type: 'chat', chat_id: Number(userKey) }, entries: [...MENU, ...ADMIN_MENU] };
}

async function offerTo(api: TelegramApi, menu: ScopedMenu, signal: ApiSignal): Promise<void> {
  try {
    for (const language of LANGUAGES) await offerIn(api, menu, language, signal);
  } catch (error) {
    // A person who has not written to us yet has no chat to offer anything in.
    const { kind } = classify(error);
    if (menu.scope.type !== 'chat' || (kind !== 'blocked' && kind !== 'rejected')) throw error;
  }
}

async function offerIn(
  api: TelegramApi,
  { scope, entries }: ScopedMenu,
  language: string,
  signal: ApiSignal,
): Promise<void> {
  // English is for everybody whose language has no list of its own.
  const where = { scope, ...(language === 'en' ? {} : { language_code: language as LanguageCode }) };
  const wanted = entries.map(({ command, description, personal }): BotCommand => {
    const text = { command, description: say(description, {}, language) };
    return scope.type === 'all_group_chats' && personal ? { ...text, is_ephemeral: true } : text;
  });
  const known = await api.getMyCommands(where, signal);
  if (known.length === wanted.length && known.every((one, place) => isSame(one, wanted[place]))) return;
  if (wanted.length === 0) await api.deleteMyCommands(where, signal);
  else await api.setMyCommands(wanted, where, signal);
}

function isSame(known: BotCommand, wanted: BotCommand | undefined): boolean {
  return (
    known.command === wanted?.command &&
    known.description === wanted.description &&
    (known.is_ephemeral ?? false) === (wanted.is_ephemeral ?? false)
  );
}

/** The button beside the text field opens the list. */
async function offerButton(api: TelegramApi, signal: ApiSignal): Promise<void> {
  const { type } = await api.getChatMenuButton({}, signal);
  if (type !== 'commands') await api.setChatMenuButton({ menu_button: { type: 'commands' } }, signal);
}
