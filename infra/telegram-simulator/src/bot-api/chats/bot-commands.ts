import { z } from 'zod';
import { requireChat } from '../bot-access.ts';
import { createBadRequest } from '../../bot-error.ts';
import {
  chatId,
  flag,
  acceptInteger,
  createJsonSchema,
  languageCode,
  parseParameters,
  type Parameters,
} from '../bot-parameters.ts';
import type { StoredCommand } from '../../store/event.ts';
import { GROUP } from '../../store/people.ts';
import type { Store } from '../../store/store.ts';

/** Accepts any type of scope, because bot-api-schema.json lists the types. */
const Scope = z.object({
  type: z.string(),
  chat_id: chatId.optional(),
  user_id: acceptInteger('user_id is empty').optional(),
});
type Scope = z.output<typeof Scope>;

const Target = z.object({
  scope: createJsonSchema(Scope, "can't parse BotCommandScope JSON object").default({ type: 'default' }),
  language_code: languageCode,
});

const MAX_COMMANDS = 100;
const SetMyCommands = Target.extend({
  commands: createJsonSchema(
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

/** setMyCommands: sets the commands of one scope and language; an empty list removes them. */
export function setMyCommands(store: Store, parameters: Parameters): true {
  const { commands, scope, language_code } = parseParameters(SetMyCommands, parameters);
  if (commands.length > MAX_COMMANDS) throw createBadRequest('BOT_COMMANDS_TOO_MUCH');
  if (scope.chat_id !== undefined) requireChat(store, scope.chat_id);
  store.commit({ kind: 'commands', key: buildCommandsKey(scope, language_code), commands });
  store.announce({ kind: 'commands' });
  return true;
}

/** getMyCommands: returns exactly this scope and language, without fallback, as Telegram does. */
export function getMyCommands(store: Store, parameters: Parameters): readonly StoredCommand[] {
  const { scope, language_code } = parseParameters(Target, parameters);
  return store.state.commands.get(buildCommandsKey(scope, language_code)) ?? [];
}

/** deleteMyCommands: removes a scope's commands, so that the wider scope applies. */
export function deleteMyCommands(store: Store, parameters: Parameters): true {
  const { scope, language_code } = parseParameters(Target, parameters);
  store.commit({ kind: 'commands', key: buildCommandsKey(scope, language_code), commands: [] });
  store.announce({ kind: 'commands' });
  return true;
}

/** Returns the commands that a client offers: the narrowest scope with a list, in the person's language or none. */
export function findCommandsFor(
  store: Store,
  personId: number,
  chat: number,
  language: string,
): readonly StoredCommand[] {
  const scopes: Scope[] = [
    { type: 'chat_member', chat_id: chat, user_id: personId },
    { type: 'chat', chat_id: chat },
    { type: chat === GROUP.id ? 'all_group_chats' : 'all_private_chats' },
    { type: 'default' },
  ];
  for (const scope of scopes) {
    for (const code of [language, '']) {
      const commands = store.state.commands.get(buildCommandsKey(scope, code));
      if (commands && commands.length > 0) return commands;
    }
  }
  return [];
}

function buildCommandsKey({ type, chat_id, user_id }: Scope, language: string): string {
  return [type, chat_id, user_id, language].join('/');
}
