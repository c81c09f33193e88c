import { z } from 'zod';
import { requireChat } from '../bot-access.ts';
import { badRequest } from '../bot-error.ts';
import { chatId, jsonOf, languageCode, parseParameters, type Parameters } from '../bot-parameters.ts';
import { BOT_NAME } from '../../people/people.ts';
import type { BotStatus } from '../../store/entry.ts';
import type { World } from '../../store/world.ts';

type TextField = 'name' | 'description' | 'short_description';

/** Telegram's limits, in characters. */
const MAX_LENGTHS: Readonly<Record<TextField, number>> = { name: 64, description: 512, short_description: 120 };

/** setMyName, setMyDescription, setMyShortDescription: one text per language; an empty one removes it. */
export function setProfileText(field: TextField): (world: World, parameters: Parameters) => true {
  const schema = z.object({ [field]: z.coerce.string().default(''), language_code: languageCode });
  return (world, parameters) => {
    const given: Readonly<Record<string, unknown>> = parseParameters(schema, parameters);
    const text = String(given[field]).trim();
    if ([...text].length > MAX_LENGTHS[field]) throw badRequest(`${field.toUpperCase()}_TOO_LONG`);
    world.commit({ kind: 'profile', key: keyOf(field, given['language_code']), value: text });
    world.announce({ kind: 'bot' });
    return true;
  };
}

/** getMyName, getMyDescription, getMyShortDescription: in this language, else in none. */
export function getProfileText(field: TextField): (world: World, parameters: Parameters) => object {
  const schema = z.object({ language_code: languageCode });
  return (world, parameters) => ({
    [field]: findProfileText(world, field, parseParameters(schema, parameters).language_code),
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
export function setChatMenuButton(world: World, parameters: Parameters): true {
  const given = parseParameters(SetChatMenuButton, parameters);
  const chat = given.chat_id === undefined ? '' : requireChat(world, given.chat_id);
  world.commit({ kind: 'profile', key: keyOf('menu', chat), value: JSON.stringify(given.menu_button) });
  world.announce({ kind: 'bot' });
  return true;
}

/** getChatMenuButton: of this chat, else of all. */
export function getChatMenuButton(world: World, parameters: Parameters): unknown {
  const given = parseParameters(z.object({ chat_id: chatId.optional() }), parameters);
  return findMenuButton(world, given.chat_id === undefined ? null : requireChat(world, given.chat_id));
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
export function toBotView(world: World, personId: number | null): BotView {
  const { id, username } = world.bot;
  return {
    id,
    username,
    name: findProfileText(world, 'name', 'en'),
    description: findProfileText(world, 'description', 'en'),
    shortDescription: findProfileText(world, 'short_description', 'en'),
    menuButton: findMenuButton(world, personId),
    groupStatus: world.state.botStatus,
  };
}

function findProfileText(world: World, field: TextField, language: string): string {
  const { profile } = world.state;
  const found = profile.get(keyOf(field, language)) || profile.get(keyOf(field, ''));
  return found || (field === 'name' ? BOT_NAME : '');
}

function findMenuButton(world: World, chat: number | null): unknown {
  const { profile } = world.state;
  const own = chat === null ? undefined : profile.get(keyOf('menu', chat));
  const button: unknown = JSON.parse(own ?? profile.get(keyOf('menu', '')) ?? '{"type":"commands"}');
  return button;
}

function keyOf(field: string, variant: unknown): string {
  return `${field}/${String(variant)}`;
}
