import { ensureOwnerCode } from '@signalbox/store/people/owner-code';
import type { CommandContext, CommandResult } from '../../command.ts';
import { requireUrl } from '../../config.ts';

/** Creates an owner code while there is no admin. Earlier codes become void. */
export async function runOwnerCode({ config, actor }: CommandContext): Promise<CommandResult> {
  const code = await ensureOwnerCode(requireUrl(config, 'DATABASE_URL'), actor);
  const lines =
    code === null
      ? ['There is an admin already. Admins let others in: people add <id> <name> <role>']
      : [
          `Send this to the bot in a private chat, once: ${code}`,
          'Whoever sends it becomes the admin. Earlier codes are void.',
        ];
  return { ok: true, data: { code }, lines };
}
