import type { BotCommand, BotCommandScope, LanguageCode } from 'grammy/types';
import { LANGUAGES } from '@signalbox/messages/language';
import { say } from '@signalbox/messages/say';
import { ADMIN_MENU, COMMAND_MENU, type MenuEntry } from '../menu.ts';
import type { MenuAudience } from '../channel.ts';
import type { ApiSignal, TelegramApi } from './client.ts';
import { classifyFailure } from './failure.ts';

/** The commands for one scope. Telegram's clients show the list of the narrowest scope. */
interface ScopedMenu {
  readonly scope: BotCommandScope;
  readonly entries: readonly MenuEntry[];
}

/** Sets the command menus that differ, in every language; admins get theirs in private. Throws the client's errors. Idempotent. */
export async function setCommandMenus(
  api: TelegramApi,
  { everybody, admins, former }: MenuAudience,
  signal: ApiSignal,
): Promise<void> {
  const shared = everybody ? SHARED_MENUS : [];
  for (const menu of [...shared, ...admins.map(createAdminMenu)]) await offerScopedMenu(api, menu, signal);
  for (const person of former) await offerScopedMenu(api, { ...createAdminMenu(person), entries: [] }, signal);
  if (everybody) await offerButton(api, signal);
}

const SHARED_MENUS: readonly ScopedMenu[] = [
  { scope: { type: 'default' }, entries: COMMAND_MENU },
  { scope: { type: 'all_private_chats' }, entries: COMMAND_MENU },
  { scope: { type: 'all_group_chats' }, entries: COMMAND_MENU },
];

function createAdminMenu(userKey: string): ScopedMenu {
  return { scope: { type: 'chat', chat_id: Number(userKey) }, entries: [...COMMAND_MENU, ...ADMIN_MENU] };
}

async function offerScopedMenu(api: TelegramApi, menu: ScopedMenu, signal: ApiSignal): Promise<void> {
  try {
    for (const language of LANGUAGES) await offerInLanguage(api, menu, language, signal);
  } catch (error) {
    // A person who has not written yet has no chat for a menu.
    const { kind } = classifyFailure(error);
    if (menu.scope.type !== 'chat' || (kind !== 'blocked' && kind !== 'rejected')) throw error;
  }
}

async function offerInLanguage(
  api: TelegramApi,
  { scope, entries }: ScopedMenu,
  language: string,
  signal: ApiSignal,
): Promise<void> {
  // The list without a language code serves all languages that have no list of their own.
  const target = { scope, ...(language === 'en' ? {} : { language_code: language as LanguageCode }) };
  const wantedCommands = entries.map(({ command, description, personal }): BotCommand => {
    const text = { command, description: say(description, {}, language) };
    return scope.type === 'all_group_chats' && personal ? { ...text, is_ephemeral: true } : text;
  });
  const knownCommands = await api.getMyCommands(target, signal);
  if (
    knownCommands.length === wantedCommands.length &&
    knownCommands.every((one, place) => isSame(one, wantedCommands[place]))
  )
    return;
  if (wantedCommands.length === 0) await api.deleteMyCommands(target, signal);
  else await api.setMyCommands(wantedCommands, target, signal);
}

function isSame(known: BotCommand, wanted: BotCommand | undefined): boolean {
  return (
    known.command === wanted?.command &&
    known.description === wanted.description &&
    (known.is_ephemeral ?? false) === (wanted.is_ephemeral ?? false)
  );
}

/** Makes the button beside the text field open the menu. */
async function offerButton(api: TelegramApi, signal: ApiSignal): Promise<void> {
  const { type } = await api.getChatMenuButton({}, signal);
  if (type !== 'commands') await api.setChatMenuButton({ menu_button: { type: 'commands' } }, signal);
}
