import { z } from 'zod';
import { requireChat } from '../bot-access.ts';
import { badRequest } from '../bot-error.ts';
import { chatId, jsonOf, languageCode, parseParameters, type Parameters } from '../bot-parameters.ts';
import { BOT_NAME } from '../../people/people.ts';
import type { BotStatus } from '../../store/event.ts';
import type { Store } from '../../store/store.ts';

type TextField = 'name' | 'description' | 'short_description';

/** Telegram's limits, in characters. */
const MAX_LENGTHS: Readonly<Record<TextField, number>> = { name: 64, description: 512, short_description: 120 };

/** setMyName, setMyDescription, setMyShortDescription: one text per language; an empty one removes it. */
export function setProfileText(field: TextField): (store: Store, parameters: Parameters) => true {
  const schema = z.object({ [field]: z.coerce.string().default(''), language_code: languageCode });
  return (store, parameters) => {
    const given: Readonly<Record<string, unknown>> = parseParameters(schema, parameters);
    const text = String(given[field]).trim();
    if ([...text].length > MAX_LENGTHS[field]) throw badRequest(`${field.toUpperCase()}_TOO_LONG`);
    store.commit({ kind: 'profile', key: keyOf(field, given['language_code']), value: text });
    store.announce({ kind: 'bot' });
    return true;
  };
}

/** getMyName, getMyDescription, getMyShortDescription: in this language, else in none. */
export function getProfileText(field: TextField): (store: Store, parameters: Parameters) => object {
  const schema = z.object({ language_code: languageCode });
  return (store, parameters) => ({
    [field]: findProfileText(store, field, parseParameters(schema, parameters).language_code),
  });
}

const MenuButton = z.discriminatedUnion(
  'type',
  [
    z.object({ type: z.enum(['default', 'commands']) }),
    z.object({ type: z.literal('web_app'), text: z.string().min(1), web_app: z.object({ url: z.url() }) }),
  ],
  { error: "can't parse menu button: Unsupported type specified" },
);
const SetChatMenuButton = z.object({
  chat_id: chatId.optional(),
  menu_button: jsonOf(MenuButton, "can't parse menu button JSON object").default({ type: 'default' }),
});

/** setChatMenuButton: of one private chat, or of all without a chat. */
export function setChatMenuButton(store: Store, parameters: Parameters): true {
  const given = parseParameters(SetChatMenuButton, parameters);
  const chat = given.chat_id === undefined ? '' : requireChat(store, given.chat_id);
  store.commit({ kind: 'profile', key: keyOf('menu', chat), value: JSON.stringify(given.menu_button) });
  store.announce({ kind: 'bot' });
  return true;
}

/** getChatMenuButton: of this chat, else of all. */
export function getChatMenuButton(store: Store, parameters: Parameters): unknown {
  const given = parseParameters(z.object({ chat_id: chatId.optional() }), parameters);
  return findMenuButton(store, given.chat_id === undefined ? null : requireChat(store, given.chat_id));
}

/** What people see of the bot before they write to it. */
export interface BotView {
  readonly id: number;
  readonly username: string;
  readonly name: string;
  readonly description: string;
  readonly shortDescription: string;
  readonly menuButton: unknown;
  readonly groupStatus: BotStatus;
}

/** The bot as a person sees it. */
export function toBotView(store: Store, personId: number | null): BotView {
  const { id, username } = store.bot;
  return {
    id,
    username,
    name: findProfileText(store, 'name', 'en'),
    description: findProfileText(store, 'description', 'en'),
    shortDescription: findProfileText(store, 'short_description', 'en'),
    menuButton: findMenuButton(store, personId),
    groupStatus: store.state.botStatus,
  };
}

function findProfileText(store: Store, field: TextField, language: string): string {
  const { profile } = store.state;
  const found = profile.get(keyOf(field, language)) || profile.get(keyOf(field, ''));
  return found || (field === 'name' ? BOT_NAME : '');
}

function findMenuButton(store: Store, chat: number | null): unknown {
  const { profile } = store.state;
  const own = chat === null ? undefined : profile.get(keyOf('menu', chat));
  const button: unknown = JSON.parse(own ?? profile.get(keyOf('menu', '')) ?? '{"type":"commands"}');
  return button;
}

function keyOf(field: string, variant: unknown): string {
  return `${field}/${String(variant)}`;
}
