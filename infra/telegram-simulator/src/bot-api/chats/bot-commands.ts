import { z } from 'zod';
import { requireChat } from '../bot-access.ts';
import { badRequest } from '../bot-error.ts';
import { chatId, flag, integer, jsonOf, languageCode, parseParameters, type Parameters } from '../bot-parameters.ts';
import type { Command } from '../../store/event.ts';
import { GROUP } from '../../people/people.ts';
import type { Store } from '../../store/store.ts';

const user = integer('user_id is empty');
const Scope = z.discriminatedUnion(
  'type',
  [
    z.object({ type: z.enum(['default', 'all_private_chats', 'all_group_chats', 'all_chat_administrators']) }),
    z.object({ type: z.enum(['chat', 'chat_administrators']), chat_id: chatId }),
    z.object({ type: z.literal('chat_member'), chat_id: chatId, user_id: user }),
  ],
  { error: "can't parse BotCommandScope: Unsupported type specified" },
);
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
        is_ephemeral: flag.optional(),
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
  if ('chat_id' in scope) requireChat(store, scope.chat_id);
  store.commit({ kind: 'commands', key: keyOf(scope, language_code), commands: commands.map(toCommand) });
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
  const isGroup = chat === GROUP.id;
  const scopes: Scope[] = isGroup
    ? [
        { type: 'chat_member', chat_id: chat, user_id: personId },
        { type: 'chat', chat_id: chat },
        { type: 'all_group_chats' },
        { type: 'default' },
      ]
    : [{ type: 'chat', chat_id: chat }, { type: 'all_private_chats' }, { type: 'default' }];
  for (const scope of scopes) {
    for (const code of [language, '']) {
      const commands = store.state.commands.get(keyOf(scope, code));
      if (commands && commands.length > 0) return commands;
    }
  }
  return [];
}

function toCommand({
  command,
  description,
  is_ephemeral,
}: {
  command: string;
  description: string;
  is_ephemeral?: boolean | undefined;
}): Command {
  return { command, description, ...(is_ephemeral === true ? { is_ephemeral } : {}) };
}

function keyOf(scope: Scope, language: string): string {
  const chat = 'chat_id' in scope ? scope.chat_id : '';
  const member = 'user_id' in scope ? scope.user_id : '';
  return [scope.type, chat, member, language].join('/');
}
