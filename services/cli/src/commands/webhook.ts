import { AppError } from '@signalbox/contracts/errors';
import { sayDuration } from '@signalbox/messages/duration';
import { z } from 'zod';
import { callBotApi, WebhookInfo, type BotResult } from '../checks/bot-api.ts';
import { describeFailure } from '../checks/webhook.ts';
import { recordChange } from '../actor.ts';
import { runSubcommand, type CommandContext, type CommandResult } from '../command.ts';

/** Shows Telegram's data about the webhook, or removes it. Idempotent. */
export function runWebhook(context: CommandContext): Promise<CommandResult> {
  return runSubcommand(context, { show: { words: 0, run: showWebhook }, remove: { words: 0, run: removeWebhook } });
}

async function showWebhook(context: CommandContext): Promise<CommandResult> {
  const info = await callOrThrow(context, 'getWebhookInfo', WebhookInfo);
  const none = ['There is no webhook: updates wait to be polled.', `  waiting      ${info.pending_update_count}`];
  return { ok: true, data: info, lines: info.url === '' ? none : describe(info, Date.now()) };
}

async function removeWebhook(context: CommandContext): Promise<CommandResult> {
  const { url } = await callOrThrow(context, 'getWebhookInfo', WebhookInfo);
  if (url === '') return { ok: true, data: { removed: null }, lines: ['There is no webhook; nothing was changed.'] };
  // The audit event comes first, so that no change goes unrecorded. It omits the path, which may be secret.
  await recordChange(context.database(), context.actor, 'webhook.remove_requested', { host: new URL(url).host });
  await callOrThrow(context, 'deleteWebhook', z.literal(true));
  const lines = [
    `The webhook at ${url} is removed. What waits is kept for whoever receives next.`,
    'A gateway that runs with TELEGRAM_WEBHOOK_URL sets it again within a minute.',
  ];
  return { ok: true, data: { removed: url }, lines };
}

function describe(info: WebhookInfo, now: number): readonly string[] {
  const failure = describeFailure(info, now);
  return [
    info.url,
    `  waiting      ${info.pending_update_count}`,
    `  last failure ${failure ? `${sayDuration(failure.agoMs)} ago: ${failure.say}` : 'none'}`,
    ...(failure ? [`               → ${failure.remedy}`] : []),
    `  connections  ${info.max_connections ?? '–'} at most${info.ip_address === undefined ? '' : `, to ${info.ip_address}`}`,
    `  kinds        ${info.allowed_updates?.join(', ') ?? 'those that Telegram sends by default'}`,
  ];
}

/** Calls the Bot API. Throws CONFIG_INVALID without a token, UPSTREAM_UNAVAILABLE without an answer, CHANNEL_REFUSED when refused. */
async function callOrThrow<S extends z.ZodType>(
  { config }: CommandContext,
  method: string,
  schema: S,
): Promise<z.output<S>> {
  const token = config.TELEGRAM_BOT_TOKEN;
  if (token === undefined)
    throw new AppError('CONFIG_INVALID', { problems: 'TELEGRAM_BOT_TOKEN: is not set. The webhook is that of a bot.' });
  const answer: BotResult<z.output<S>> = await callBotApi(config, token, method, schema);
  if (answer.kind === 'answered') return answer.result;
  if (answer.kind === 'unreachable') throw new AppError('UPSTREAM_UNAVAILABLE', { service: 'Telegram' });
  throw new AppError('CHANNEL_REFUSED', { reason: answer.description });
}
