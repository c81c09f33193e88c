import { MINUTE_MS } from '@signalbox/contracts/time';
import { sayDuration } from '@signalbox/messages/duration';
import { findValue } from '@signalbox/store/sql';
import { z } from 'zod';
import { callBotApi, WebhookInfo } from './bot-api.ts';
import type { CommandContext } from '../command.ts';
import { createFailure, createOk, createWarning, type CheckResult } from './finding.ts';
import { readRunningServices } from './running-services.ts';
import { judgeWebhook } from './webhook.ts';

const Bot = z.object({ username: z.string().optional(), first_name: z.string() });

/** Checks the bot token and the webhook; without a token, whether the simulator runs. */
export async function checkTelegram(context: CommandContext): Promise<readonly CheckResult[]> {
  const { config } = context;
  const { TELEGRAM_BOT_TOKEN: token, TELEGRAM_API_ROOT: root, TELEGRAM_WEBHOOK_URL: wanted, runFile } = config;
  if (token === undefined) {
    const simulator = (await readRunningServices(runFile))?.simulatorUrl ?? null;
    if (simulator !== null) return [createOk('Telegram', `simulator at ${simulator}`)];
    return [
      createWarning(
        'Telegram',
        'TELEGRAM_BOT_TOKEN is not set',
        '`npm start` then runs a simulator; the gateway alone needs a token.',
      ),
    ];
  }
  const where = new URL(root).host;
  const bot = await callBotApi(config, token, 'getMe', Bot);
  if (bot.kind === 'unreachable')
    return [
      createFailure('Telegram', `${where} cannot be asked: ${bot.reason}`, 'Check the network and TELEGRAM_API_ROOT.'),
    ];
  if (bot.kind === 'refused') {
    const remedy = 'Copy the token again from @BotFather (/mybots).';
    return [createFailure('Telegram', `${where} refuses the token: ${bot.description}`, remedy)];
  }
  const clock = await checkClock(context, where, bot.at);
  const { username, first_name: name } = bot.result;
  const known = createOk(
    'Telegram',
    `the token belongs to ${username === undefined ? name : `@${username}`} (${where})`,
  );
  const webhook = await callBotApi(config, token, 'getWebhookInfo', WebhookInfo);
  if (webhook.kind === 'answered') return [known, ...clock, judgeWebhook(webhook.result, wanted, Date.now())];
  const reason = webhook.kind === 'refused' ? webhook.description : webhook.reason;
  return [
    known,
    ...clock,
    createWarning('webhook', `${where} does not say where updates go: ${reason}`, 'Try again in a moment.'),
  ];
}

/** Maximum difference between the clocks of channel and database, from which a message's age is computed. */
const MAX_SKEW_MS = MINUTE_MS;

async function checkClock(context: CommandContext, where: string, at: Date | null): Promise<readonly CheckResult[]> {
  if (at === null || context.config.DATABASE_URL === undefined) return [];
  // checkDatabase reports errors of Postgres.
  const now = await findValue<Date | null>(context.database(), null)`select clock_timestamp()`.catch(() => null);
  if (now === null) return [];
  const skewMs = now.getTime() - at.getTime();
  if (Math.abs(skewMs) <= MAX_SKEW_MS) return [];
  const say = `the clock of Postgres is ${sayDuration(Math.abs(skewMs))} ${skewMs > 0 ? 'ahead of' : 'behind'} that of ${where}`;
  return [createWarning('clock', say, 'Set the clock, with NTP: orders count as old, or as fresh, by the difference.')];
}
