import { z } from 'zod';
import type { CommandContext } from '../command.ts';
import { fail, ok, reasonOf, warn, type Finding } from './finding.ts';
import { readRunFile } from './running-services.ts';

const Answer = z.object({
  ok: z.boolean(),
  description: z.string().optional(),
  result: z.object({ username: z.string().optional(), first_name: z.string() }).optional(),
});

const TIMEOUT_MS = 8_000;

/** Whether Telegram knows the token. Without a token, whether the simulator stands in. */
export async function checkTelegram({ config }: CommandContext): Promise<readonly Finding[]> {
  const { TELEGRAM_BOT_TOKEN: token, TELEGRAM_API_ROOT: root, runFile } = config;
  if (token === undefined) {
    const simulator = (await readRunFile(runFile))?.simulatorUrl ?? null;
    if (simulator !== null) return [ok('Telegram', `simulator at ${simulator}`)];
    return [
      warn(
        'Telegram',
        'TELEGRAM_BOT_TOKEN is not set',
        '`npm start` then runs a simulator; the gateway alone needs a token.',
      ),
    ];
  }
  const where = new URL(root).host;
  try {
    const url = `${root.replace(/\/+$/, '')}/bot${token}/getMe`;
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const answer = Answer.safeParse(await response.json());
    if (answer.data?.ok && answer.data.result) {
      const { username, first_name: name } = answer.data.result;
      return [ok('Telegram', `the token belongs to ${username === undefined ? name : `@${username}`} (${where})`)];
    }
    const description = answer.data?.description ?? `HTTP ${response.status}`;
    return [
      fail('Telegram', `${where} refuses the token: ${description}`, 'Copy the token again from @BotFather (/mybots).'),
    ];
  } catch (error) {
    return [
      fail('Telegram', `${where} cannot be asked: ${reasonOf(error)}`, 'Check the network and TELEGRAM_API_ROOT.'),
    ];
  }
}
