import { z } from 'zod';
import { requireChat } from '../bot-access.ts';
import { badRequest } from '../../bot-error.ts';
import { chatId, flag, integer, jsonOf, languageCode, parseParameters, type Parameters } from '../bot-parameters.ts';
import type { Command } from '../../store/event.ts';
import { GROUP } from '../../store/people.ts';
import type { Store } from '../../store/store.ts';

/** Which scopes there are is in the types of the Bot API. */
const Scope = z.object({
  type: z.string(),
  chat_id: chatId.optional(),
  user_id: integer('user_id is empty').optional(),
});
type Scope = z.output<typeof Scope>;

const Target = z.object({
  scope: jsonOf(Scope, "can't parse BotCommandScope JSON object").default({ type: 'default' }),
  language_code: languageCode,
});

const MAX_COMMANDS = 100;
const SetMyCommands = Target.extend({
  commands: jsonOf(
    z.array(
      z.object({
        command: z
          .string({ error: 'BOT_COMMAND_INVALID' })
          .transform((command) => command.replace(/^\//, ''))
          .pipe(z.string().regex(/^[a-z0-9_]{1,32}$/, 'BOT_COMMAND_INVALID')),
        description: z
          .string({ error: 'BOT_COMMAND_DESCRIPTION_INVALID' })
          .trim()
          .min(1, 'command description must be non-empty')
          .max(256, 'BOT_COMMAND_DESCRIPTION_INVALID'),
        is_ephemeral: flag.optional().transform((isEphemeral) => (isEphemeral ? (true as const) : undefined)),
      }),
      { error: "can't parse commands: expected an Array of BotCommand" },
    ),
    "can't parse commands list JSON object",
  ),
});

/** setMyCommands: the list of one scope and language; an empty list removes it. */
export function setMyCommands(store: Store, parameters: Parameters): true {
  const { commands, scope, language_code } = parseParameters(SetMyCommands, parameters);
  if (commands.length > MAX_COMMANDS) throw badRequest('BOT_COMMANDS_TOO_MUCH');
  if (scope.chat_id !== undefined) requireChat(store, scope.chat_id);
  store.commit({ kind: 'commands', key: keyOf(scope, language_code), commands });
  store.announce({ kind: 'commands' });
  return true;
}

/** getMyCommands: exactly this scope and language, without falling back, as in Telegram. */
export function getMyCommands(store: Store, parameters: Parameters): readonly Command[] {
  const { scope, language_code } = parseParameters(Target, parameters);
  return store.state.commands.get(keyOf(scope, language_code)) ?? [];
}

/** deleteMyCommands: the wider scope applies again. */
export function deleteMyCommands(store: Store, parameters: Parameters): true {
  const { scope, language_code } = parseParameters(Target, parameters);
  store.commit({ kind: 'commands', key: keyOf(scope, language_code), commands: [] });
  store.announce({ kind: 'commands' });
  return true;
}

/** What a person's client offers after "/": the narrowest scope that has a list, in their language or in none. */
export function findCommandsFor(store: Store, personId: number, chat: number, language: string): readonly Command[] {
  const scopes: Scope[] = [
    { type: 'chat_member', chat_id: chat, user_id: personId },
    { type: 'chat', chat_id: chat },
    { type: chat === GROUP.id ? 'all_group_chats' : 'all_private_chats' },
    { type: 'default' },
  ];
  for (const scope of scopes) {
    for (const code of [language, '']) {
      const commands = store.state.commands.get(keyOf(scope, code));
      if (commands && commands.length > 0) return commands;
    }
  }
  return [];
}

function keyOf({ type, chat_id, user_id }: Scope, language: string): string {
  return [type, chat_id, user_id, language].join('/');
}
