import { z } from 'zod';
import { requireChat } from '../bot-access.ts';
import { chatId, createJsonSchema, parseParameters, type Parameters } from '../bot-parameters.ts';
import type { BotStatus } from '../../store/event.ts';
import type { Store } from '../../store/store.ts';

const OneChat = z.object({ chat_id: chatId.optional() });
const SetChatMenuButton = OneChat.extend({
  menu_button: createJsonSchema(z.record(z.string(), z.unknown()), "can't parse menu button JSON object").default({
    type: 'default',
  }),
});

/** setChatMenuButton: sets the button of one private chat, or the default. */
export function setChatMenuButton(store: Store, parameters: Parameters): true {
  const given = parseParameters(SetChatMenuButton, parameters);
  const chat = given.chat_id === undefined ? '' : requireChat(store, given.chat_id);
  store.commit({ kind: 'profile', key: `menu/${chat}`, value: JSON.stringify(given.menu_button) });
  store.announce({ kind: 'bot' });
  return true;
}

/** getChatMenuButton: returns the button of this chat, or the default. */
export function getChatMenuButton(store: Store, parameters: Parameters): unknown {
  const given = parseParameters(OneChat, parameters);
  return findMenuButton(store, given.chat_id === undefined ? null : requireChat(store, given.chat_id));
}

/** The bot's profile as shown to people. */
export interface BotView {
  readonly id: number;
  readonly username: string;
  readonly name: string;
  readonly menuButton: unknown;
  readonly groupStatus: BotStatus;
}

export function toBotView(store: Store, personId: number | null): BotView {
  const { id, username, first_name: name } = store.bot;
  return { id, username, name, menuButton: findMenuButton(store, personId), groupStatus: store.state.botStatus };
}

function findMenuButton({ state: { profile } }: Store, chat: number | null): unknown {
  const button: unknown = JSON.parse(profile.get(`menu/${chat}`) ?? profile.get('menu/') ?? '{"type":"commands"}');
  return button;
}
