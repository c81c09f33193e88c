import { MINUTE_MS, SECOND_MS } from '@signalbox/contracts/time';
import { sayDuration } from '@signalbox/messages/duration';
import type { WebhookInfo } from './bot-api.ts';
import { createFailure, createOk, createWarning, type CheckResult } from './finding.ts';

/** Delivery failures older than this are ignored. */
const RECENT_MS = 10 * MINUTE_MS;
/** More undelivered updates than this show that no gateway receives updates. */
const MAX_PENDING = 100;

/** Judges the webhook: updates must arrive at `wanted` (undefined: gateways poll). `now` in milliseconds since 1970. */
export function judgeWebhook(info: WebhookInfo, wanted: string | undefined, now: number): CheckResult {
  const { url, pending_update_count: pending } = info;
  if (wanted === undefined) return judgeWithoutWebhook(url);
  if (url === '') {
    const remedy = 'Start a gateway with TELEGRAM_WEBHOOK_URL; its /readyz says what is in its way.';
    return createFailure('webhook', 'Telegram knows no webhook, so no updates come in', remedy);
  }
  if (!(URL.canParse(url) && URL.canParse(wanted) && new URL(url).href === new URL(wanted).href)) {
    const say = `Telegram sends updates to ${readHost(url)}, not to the address in TELEGRAM_WEBHOOK_URL`;
    const remedy =
      'The gateway or program that set it last has it. Stop that one, then start a gateway with the right address.';
    return createFailure('webhook', say, remedy);
  }
  const failure = describeFailure(info, now);
  if (failure && failure.agoMs < RECENT_MS) {
    const judge = pending > 0 ? createFailure : createWarning;
    const say = `${describePending(pending)}; ${sayDuration(failure.agoMs)} ago ${failure.say}`;
    return judge('webhook', say, failure.remedy);
  }
  if (pending > MAX_PENDING)
    return createWarning('webhook', describePending(pending), 'See whether the gateways are ready and their log.');
  return createOk('webhook', `${readHost(url)}, ${describePending(pending)}`);
}

/** Describes the last failed delivery and its remedy; null when there was none. */
export function describeFailure(
  { last_error_date: at, last_error_message: message = '' }: WebhookInfo,
  now: number,
): { readonly agoMs: number; readonly say: string; readonly remedy: string } | null {
  if (at === undefined) return null;
  const cause = CAUSES.find(({ pattern }) => pattern.test(message));
  const say = cause ? `${cause.say} (${message})` : `Telegram could not deliver: ${message}`;
  return { agoMs: Math.max(0, now - at * SECOND_MS), say, remedy: cause?.remedy ?? UNKNOWN_REMEDY };
}

const UNKNOWN_REMEDY = 'Look at the logs of the gateways and of the proxy in front of them.';
const ROUTE = 'Let the proxy pass exactly the path of TELEGRAM_WEBHOOK_URL on to TELEGRAM_WEBHOOK_PORT, unchanged.';

/** Patterns of Telegram's error messages, most specific first, with their usual causes. */
const CAUSES: readonly { readonly pattern: RegExp; readonly say: string; readonly remedy: string }[] = [
  {
    pattern: /\b401\b/,
    say: 'the secret was refused',
    remedy: 'Give all gateways the same TELEGRAM_WEBHOOK_SECRET and start them again: each registers it.',
  },
  { pattern: /\b(404|405|415)\b/, say: 'something else than the gateway answered', remedy: ROUTE },
  { pattern: /\b30\d\b/, say: 'the address answered with a redirect', remedy: ROUTE },
  { pattern: /\b413\b/, say: 'an update was too large', remedy: 'Let the proxy take bodies of 1 MB.' },
  {
    pattern: /\b503\b/,
    say: 'the gateway could not store an update',
    remedy: 'Its /readyz says why; Telegram repeats until it can.',
  },
  {
    pattern: /\b(500|502|504)\b/,
    say: 'the proxy did not reach a gateway',
    remedy: 'See whether the gateways run and listen on TELEGRAM_WEBHOOK_HOST and TELEGRAM_WEBHOOK_PORT.',
  },
  {
    pattern: /ssl|certificate|tls/i,
    say: 'the certificate was not accepted',
    remedy: 'It has to be valid for the name in TELEGRAM_WEBHOOK_URL and sent with its intermediate certificates.',
  },
  {
    pattern: /resolve|host/i,
    say: 'the name has no address',
    remedy: 'Give the name in TELEGRAM_WEBHOOK_URL a public IPv4 address.',
  },
  {
    pattern: /refused|timed? ?out|timeout|unreachable|reset|closed|connect/i,
    say: 'nobody answered',
    remedy: 'See whether the address can be reached from outside and the proxy and the gateways run.',
  },
];

function judgeWithoutWebhook(url: string): CheckResult {
  if (url === '') return createOk('webhook', 'none: a gateway polls');
  const remedy =
    'Set it as for the gateways. If none serves it any more, a gateway that polls removes it, or `webhook remove`.';
  return createWarning(
    'webhook',
    `Telegram sends updates to ${readHost(url)}, but TELEGRAM_WEBHOOK_URL is not set here`,
    remedy,
  );
}

function describePending(count: number): string {
  return count === 1 ? '1 update waits' : `${count} updates wait`;
}

function readHost(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'an unreadable address';
}
