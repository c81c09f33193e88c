import { createHash } from 'node:crypto';
import { say } from '@signalbox/messages/say';
import { readArtifact } from '@signalbox/store/artifacts';
import { OUTBOUND } from '@signalbox/contracts/conversation/topics';
import { putDeadLetter } from '@signalbox/store/conversation/dead-letters';
import { checkDatabase } from '@signalbox/store/database-check';
import { openPool, type Pool } from '@signalbox/store/pool';
import { newId } from '@signalbox/contracts/ids';
import type { Own } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { createMetrics, openProbe } from '@signalbox/platform/probe';
import { waitForServers } from '@signalbox/platform/needed-servers';
import { checkRedis, closeRedis, openRedis, type Redis } from '@signalbox/platform/redis';
import { startConsumer } from '@signalbox/platform/streams/consume';
import { listenToDrafts } from '@signalbox/platform/streams/drafts';
import { createSecretSealer } from '@signalbox/safety/secrets/cipher';
import { parseSealingKey } from '@signalbox/safety/secrets/key';
import { openPolicies } from '@signalbox/platform/open-policies';
import { createPublisher } from '@signalbox/platform/streams/publish';
import { createLanguages } from './admission/languages.ts';
import { createAdmission } from './admission/admit.ts';
import { createNotifier } from './admission/notify.ts';
import { createRateLimit } from './admission/rate-limit.ts';
import type { Channel } from './channels/channel.ts';
import { createTelegram } from './channels/telegram/index.ts';
import type { WebhookTarget } from './channels/telegram/receive/webhook.ts';
import type { GatewayConfig } from './config.ts';
import { Deliverer } from './delivery/deliver.ts';
import { createDraftClaims } from './delivery/draft-claim.ts';
import { Drafts } from './delivery/drafts.ts';
import { startMenuKeeper } from './channels/menu-keeper.ts';
import { createGatewayMetrics, type GatewayMetrics } from './metrics.ts';
import { createThrottle } from './delivery/throttle.ts';
import { startListening } from './channels/leader-election.ts';
import { withStorageNotice } from './delivery/storage-notice.ts';
import { startSweeper } from './delivery/sweep.ts';

export type Gateway = Awaited<ReturnType<typeof createGateway>>;

/** Running sends may finish within this time when the service stops. */
const DRAIN_MS = 8_000;
/** And before that, updates that are being admitted: together less than a service has to close. */
const WEBHOOK_DRAIN_MS = 3_000;
const PROBE_TIMEOUT_MS = 2_000;

/**
 * Starts the gateway, which receives and sends messages. Parts close in the reverse of the order in which they are owned.
 * Throws STARTUP_REFUSED when Redis may lose entries, and when SECRETS_SEALING_KEY is not a key.
 */
export async function createGateway(own: Own, config: GatewayConfig, log: Log) {
  const cipher = createSecretSealer(parseSealingKey(config.SECRETS_SEALING_KEY));
  // The probe listens before anything else, so that readiness says what the gateway waits for.
  const probe = own(await openProbe({ host: config.PROBE_HOST, port: config.PROBE_PORT, log }));
  const checks = [() => checkDatabase(config.DATABASE_URL, 'gateway'), () => checkRedis(config.REDIS_URL)];
  await waitForServers({ checks, probe, own, log });
  const registry = createMetrics('gateway');
  const metrics = createGatewayMetrics(registry);
  const pool = openPool(config.DATABASE_URL, log, {
    name: 'gateway',
    max: config.DATABASE_CONNECTIONS,
    as: 'gateway',
  });
  own({ close: () => pool.end() });
  const redis = openRedis(config.REDIS_URL, log, PROBE_TIMEOUT_MS);
  own({ close: () => closeRedis(redis) });

  const webhook = await createWebhook(config, { pool, log, metrics });
  const channel = createTelegram({
    token: config.TELEGRAM_BOT_TOKEN,
    apiRoot: config.TELEGRAM_API_ROOT,
    log,
    webhook,
    richMessages: config.TELEGRAM_RICH_MESSAGES === 'on',
    loadFile: (artifactId) => readArtifact(pool, artifactId),
  });
  const { notifier, consumer } = await startDelivery({ own, config, log, pool, redis, channel, metrics });
  const burst = createRateLimit({ redis, prefix: config.REDIS_PREFIX, burst: config.INBOUND_BURST, log });
  const menu = own(startMenuKeeper({ pool, channel, log }));
  const languages = createLanguages(pool);
  const peopleChanged = (): void => {
    menu.peopleChanged();
    languages.forget();
  };
  const policies = own(await openPolicies({ folder: config.POLICY_DIR, timeZone: config.POLICY_TIME_ZONE, log }));
  const policy = policies.current;
  const admission = createAdmission({
    pool,
    channel,
    cipher,
    policy,
    burst,
    languages,
    notifier,
    log,
    metrics,
    peopleChanged,
  });
  const admit = withStorageNotice(admission, { channel, log });
  // Open before Telegram hears of it, and closed first: what is being admitted then is finished.
  const entrance = await webhook?.server.open();
  const listening = own(startListening({ pool, channel, way: webhook ? 'webhook' : 'polling', log, admit }));
  if (entrance) own(entrance);
  const problems = async (): Promise<readonly string[]> => {
    const found = [await problemOfPostgres(pool), await problemOfRedis(redis), listening.problem()];
    if (!consumer.healthy()) found.push(say('gateway.stream-failing'));
    return found.filter((problem) => problem !== null);
  };
  probe.serve({ metrics: registry, problems });
  own({ close: () => Promise.resolve(probe.wait(['stopping'])) });
  const webhookPort = entrance?.port ?? null;
  log.info('gateway started', { bot: channel.bot, probePort: probe.port, webhookPort });
  // `ended` rejects when updates can never come in again; it resolves when closed.
  return { probe, ended: listening.ended };
}

/** Starts what sends: the stream of wake-ups, the deliverer and its rate limit, drafts, and the sweeper. */
async function startDelivery(parts: {
  readonly own: Own;
  readonly config: GatewayConfig;
  readonly log: Log;
  readonly pool: Pool;
  readonly redis: Redis;
  readonly channel: Channel;
  readonly metrics: GatewayMetrics;
}) {
  const { own, config, log, pool, redis, channel, metrics } = parts;
  const streams = { prefix: config.REDIS_PREFIX, partitions: config.STREAM_PARTITIONS };
  const notifier = createNotifier({
    publisher: createPublisher({ redis, ...streams }),
    redis,
    prefix: config.REDIS_PREFIX,
    log,
    deliverHere: (delivery) => deliverer.deliverHere(delivery),
  });
  const pace = createThrottle({
    sendsPerSecond: config.TELEGRAM_SENDS_PER_SECOND,
    chatSendsPerSecond: config.TELEGRAM_CHAT_SENDS_PER_SECOND,
    chatBurst: config.TELEGRAM_CHAT_BURST,
    groupSendsPerMinute: config.TELEGRAM_GROUP_SENDS_PER_MINUTE,
  });
  const drafts = own(
    new Drafts({
      channel,
      pace,
      claims: createDraftClaims({ redis, prefix: config.REDIS_PREFIX, gateway: newId('gw'), log }),
      intervalMs: config.TELEGRAM_DRAFT_INTERVAL_MS,
      busy: (chatKey) => deliverer.isSending(chatKey),
      log,
      metrics,
    }),
  );
  const deliverer = new Deliverer({
    pool,
    channel,
    pace,
    log,
    metrics,
    drafts,
    maxChats: config.DELIVERY_CHATS,
    wake: notifier.wakeChats,
    drainMs: DRAIN_MS,
  });
  const consumer = startConsumer({
    topic: OUTBOUND,
    redisUrl: config.REDIS_URL,
    ...streams,
    consumer: config.GATEWAY_NAME,
    slots: config.DELIVERY_CHATS,
    log,
    handle: (delivery) => deliverer.handle(delivery),
    onUnreadable: async (ref, raw, detail) => {
      const body = { raw: raw.slice(0, 2_000) };
      await putDeadLetter(pool, { source: 'stream', ref: `out:${ref}`, userKey: null, reason: detail, body });
    },
    drainMs: DRAIN_MS,
  });
  // Side by side: the consumer stops reading at once, so that another gateway reads what the deliverer hands on.
  own({ close: async () => void (await Promise.all([consumer.close(), deliverer.close()])) });
  if (config.TELEGRAM_DRAFT_INTERVAL_MS > 0)
    own(
      await listenToDrafts({
        redisUrl: config.REDIS_URL,
        prefix: config.REDIS_PREFIX,
        log,
        hear: (draft) => drafts.hear(draft),
      }),
    );
  own(startSweeper({ pool, log, wake: notifier.wakeChats }));
  return { notifier, consumer };
}

/** The server that Telegram calls, still closed; null when updates are polled. */
async function createWebhook(
  config: GatewayConfig,
  { pool, log, metrics }: { readonly pool: Pool; readonly log: Log; readonly metrics: GatewayMetrics },
): Promise<WebhookTarget | null> {
  const { TELEGRAM_WEBHOOK_URL: url, TELEGRAM_WEBHOOK_SECRET: secret } = config;
  if (url === undefined || secret === undefined) return null; // the configuration has both or neither
  // A server of HTTP is loaded only where one is needed: most gateways poll.
  const { createWebhookServer } = await import('./channels/telegram/receive/webhook-server.ts');
  const server = createWebhookServer({
    host: config.TELEGRAM_WEBHOOK_HOST,
    port: config.TELEGRAM_WEBHOOK_PORT,
    path: new URL(url).pathname,
    secret,
    log,
    drainMs: WEBHOOK_DRAIN_MS,
    count: (result) => metrics.webhook.add({ result }),
    onUnreadable: async (raw) => {
      // The same body is the same letter, however often it comes.
      const ref = `webhook:${createHash('sha256').update(raw).digest('hex').slice(0, 32)}`;
      const body = { raw: Buffer.from(raw.slice(0, 2_000).replaceAll('\u0000', '')).toString() };
      await putDeadLetter(pool, { source: 'inbound', ref, userKey: null, reason: 'not JSON', body });
      log.error('the webhook got a body that is no JSON, see dead letters', { ref });
    },
  });
  return { url, secret, server };
}

async function problemOfPostgres(pool: Pool): Promise<string | null> {
  // A pool that is waiting for a connection has no time-out of its own for the whole wait.
  const late = new Promise<never>((_, reject) => setTimeout(reject, PROBE_TIMEOUT_MS).unref());
  return Promise.race([pool.query('select 1'), late]).then(
    () => null,
    () => say('gateway.postgres-silent'),
  );
}

async function problemOfRedis(redis: Redis): Promise<string | null> {
  return redis.ping().then(
    () => null,
    () => say('gateway.redis-silent'),
  );
}
