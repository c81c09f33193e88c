import { AppError } from '@signalbox/contracts/errors';
import { say } from '@signalbox/messages/say';
import { getChannel } from '@signalbox/contracts/conversation/chat-key';
import { checkDatabase, findDatabaseProblem } from '@signalbox/store/database-check';
import { openPool, type Pool } from '@signalbox/store/pool';
import type { Closable, RegisterClosable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { createMetrics, openProbe } from '@signalbox/platform/probe';
import { waitForServers } from '@signalbox/platform/needed-servers';
import { checkRedis, closeRedis, findRedisProblem, openRedis, type Redis } from '@signalbox/platform/redis';
import { serveFiles } from '@signalbox/platform/streams/files';
import { joinChallenges } from '@signalbox/plugins/challenges';
import { loadPlugins, listPluginPolicyFolders } from '@signalbox/plugins/load-plugins';
import { listPolicyFolders } from '@signalbox/safety/policy/settings';
import type { ChallengeStore } from '@signalbox/plugins/plugin';
import { subscribeToDrafts } from '@signalbox/platform/streams/drafts';
import { subscribeToUrgent } from '@signalbox/platform/streams/urgent';
import { createSecretSealer, type SecretSealer } from '@signalbox/safety/secrets/cipher';
import { parseSealingKey } from '@signalbox/safety/secrets/key';
import { openPolicies } from '@signalbox/platform/open-policies';
import { openTracing } from '@signalbox/platform/tracing/open-tracing';
import type { Tracing } from '@signalbox/platform/tracing/tracing';
import { createPublisher, type Publisher } from '@signalbox/platform/streams/publish';
import { createLanguageCache } from './admission/language-cache.ts';
import { serveGatewayFigures } from './figures.ts';
import { createUpdateAdmitter } from './admission/admit.ts';
import { openTranscriber } from '@signalbox/models/transcription/settings';
import { VoiceNoteTranscriber } from './admission/voice/listener.ts';
import { createLaneWaker, createNotifier } from './admission/notify.ts';
import { createRateLimit } from './admission/rate-limit.ts';
import type { Channel, ChannelDeps } from './channels/channel.ts';
import { createPublicServer } from './channels/http/public-server.ts';
import type { GatewayConfig } from './config.ts';
import { startLinkPublisher } from './channels/links.ts';
import { startMenuKeeper } from './channels/menu-keeper.ts';
import { createGatewayMetrics, type GatewayMetrics } from './metrics.ts';
import { startElectedListener, type ElectedListener } from './channels/leader-election.ts';
import { describeRefusal, watchRefused, type RefusedChannel } from './channels/refused.ts';
import { startDelivery, type ChannelDelivery } from './delivery/start-delivery.ts';
import { withStorageNotice } from './delivery/storage-notice.ts';
import { startSweeper } from './delivery/sweep.ts';

export type Gateway = Awaited<ReturnType<typeof createGateway>>;

const COMMAND_MS = 2_000;

/** Starts the gateway. Throws STARTUP_REFUSED when Redis may lose entries or SECRETS_SEALING_KEY is no key. */
export async function createGateway(own: RegisterClosable, config: GatewayConfig, log: Log) {
  const plugins = await loadPlugins(config.AGENTS);
  const challenges = joinChallenges(plugins);
  const cipher = createSecretSealer(parseSealingKey(config.SECRETS_SEALING_KEY));
  // Listens first, so that the readiness probe can say what the gateway waits for.
  const probe = own(await openProbe({ host: config.PROBE_HOST, port: config.PROBE_PORT, log }));
  const checks = [() => checkDatabase(config.DATABASE_URL, 'gateway'), () => checkRedis(config.REDIS_URL)];
  await waitForServers({ checks, probe, own, log });
  const registry = createMetrics('gateway');
  const metrics = createGatewayMetrics(registry);
  const tracing = own(await openTracing(config, 'gateway', log));
  const pool = openPool(config.DATABASE_URL, log, { name: 'gateway', max: config.DATABASE_CONNECTIONS, as: 'gateway' });
  own({ close: () => pool.end() });
  const redis = openRedis(config.REDIS_URL, log, COMMAND_MS);
  own({ close: () => closeRedis(redis) });

  const { GATEWAY_HTTP_HOST: host, GATEWAY_HTTP_PORT: port, GATEWAY_HTTP_SOCKETS: sockets } = config;
  const http = createPublicServer({ host, port, sockets, log, metrics });
  const publisher = createPublisher({ redis, prefix: config.REDIS_PREFIX, partitions: config.STREAM_PARTITIONS });
  const parts = { own, config, log, pool, redis, metrics, publisher };
  const { channels, refused } = await openChannels({ ...parts, http: http.app, httpHost: host });
  const { notifier, deliveries } = await startDeliveries({ ...parts, channels, cipher, challenges, tracing });
  const rateLimit = createRateLimit({ redis, prefix: config.REDIS_PREFIX, maxPerWindow: config.INBOUND_BURST, log });
  const menus = channels
    .filter(({ offerCommands }) => offerCommands)
    .map((channel) => startMenuKeeper({ pool, channel, log }));
  menus.forEach(own);
  const languages = createLanguageCache(pool);
  const onPeopleChanged = (): void => {
    for (const menu of menus) menu.peopleChanged();
    languages.forget();
  };
  const folders = listPolicyFolders(config.POLICY_DIR, listPluginPolicyFolders(plugins));
  const { current: policy } = own(await openPolicies({ folders, timeZone: config.POLICY_TIME_ZONE, log }));
  for (const channel of channels) if (channel.fetchFile) own(serveFiles(filesOf(channel, { config, log, redis })));
  const transcriber = openTranscriber(config);
  const voiceLimitBytes = transcriber?.limitBytes ?? null;
  if (transcriber)
    own(new VoiceNoteTranscriber({ pool, channels, transcriber, cipher, challenges, wake: notifier.answerChats, log }));
  const shared = {
    pool,
    cipher,
    challenges,
    policy,
    rateLimit,
    languages,
    notifier,
    voiceLimitBytes,
    log,
    metrics,
    tracing,
    onPeopleChanged,
  };
  const listeners: ElectedListener[] = [];
  const servers: (Closable & { readonly port: number })[] = [];
  for (const channel of channels) {
    const admit = withStorageNotice(createUpdateAdmitter({ ...shared, channel }), { channel, log });
    // A server opens before the platform knows of it and closes first, so that received updates are finished.
    const server = await channel.serve?.();
    listeners.push(own(startElectedListener({ pool, channel, log, admit })));
    if (server) servers.push(own(server));
    if (channel.link) own(startLinkPublisher({ pool, channel, log }));
  }
  serveGatewayFigures({ registry, redis, listeners, config, log });
  // Listeners must be ready before the address opens.
  await Promise.all(listeners.map(({ requested }) => requested));
  const publicServer = await http.open();
  if (publicServer) own(publicServer);
  const mended = watchRefused({ refused, own, pool, log });
  const problems = async (): Promise<readonly string[]> => [
    ...(await listOwnProblems({ pool, redis, deliveries })),
    ...sortProblems(listeners, refused).problems,
  ];
  probe.serve({ metrics: registry, problems, notes: () => sortProblems(listeners, refused).notes });
  own({ close: () => Promise.resolve(probe.wait(['stopping'])) });
  log.info('gateway started', {
    channels: channels.map(({ name, bot }) => `${name}:${bot}`),
    probePort: probe.port,
    webhookPort: servers[0]?.port ?? null,
    httpPort: publicServer?.port ?? null,
  });
  return { probe, mended, httpPort: publicServer?.port ?? null };
}

async function listOwnProblems(parts: {
  readonly pool: Pool;
  readonly redis: Redis;
  readonly deliveries: readonly ChannelDelivery[];
}): Promise<readonly string[]> {
  const servers = await Promise.all([findDatabaseProblem(parts.pool), findRedisProblem(parts.redis)]);
  const isReading = parts.deliveries.every(({ consumer }) => consumer.healthy());
  return [...servers, isReading ? null : say('gateway.stream-failing')].filter((problem) => problem !== null);
}

/** A broken channel is only a note while another one works: an unready gateway would get no traffic at all. */
function sortProblems(
  listeners: readonly ElectedListener[],
  refused: readonly RefusedChannel[],
): { readonly problems: readonly string[]; readonly notes: readonly string[] } {
  const found = listeners.flatMap((listener) => {
    const problem = listener.problem();
    return problem === null ? [] : [{ problem, isNote: listener.isOwnProblem() }];
  });
  const unopened = refused.map(({ name, reason }) => `${name}: ${reason}`);
  const noted = found.length < listeners.length ? found.filter(({ isNote }) => isNote) : [];
  return {
    problems: found.filter((one) => !noted.includes(one)).map(({ problem }) => problem),
    notes: [...noted.map(({ problem }) => problem), ...unopened],
  };
}

async function openChannels(
  parts: Omit<ChannelDeps<unknown>, 'config' | 'redisUrl' | 'prefix' | 'wakeLanes'> & {
    readonly config: GatewayConfig;
    readonly publisher: Publisher;
  },
): Promise<{ readonly channels: readonly Channel[]; readonly refused: readonly RefusedChannel[] }> {
  const { config, publisher, ...others } = parts;
  const shared = { ...others, wakeLanes: createLaneWaker({ ...others, publisher }) };
  const channels: Channel[] = [];
  const refused: RefusedChannel[] = config.misconfigured.map((one) => ({ ...one, check: null }));
  let first: unknown = null;
  for (const { kind, config: own } of config.channels) {
    const prefix = `${config.REDIS_PREFIX}channel:${kind.name}:`;
    try {
      channels.push(await kind.open({ ...shared, config: own, redisUrl: config.REDIS_URL, prefix }));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      first ??= error;
      refused.push({
        name: kind.name,
        reason: describeRefusal(error),
        check: kind.check ? () => kind.check?.(own) : null,
      });
    }
  }
  if (channels.length === 0) throw first;
  return { channels, refused };
}

function filesOf(
  channel: Channel,
  { config, log, redis }: { readonly config: GatewayConfig; readonly log: Log; readonly redis: Redis },
): Parameters<typeof serveFiles>[0] {
  return {
    redisUrl: config.REDIS_URL,
    redis,
    prefix: config.REDIS_PREFIX,
    log,
    channel: channel.name,
    bot: channel.bot,
    fetch: async (ref, limits) => (await channel.fetchFile?.(ref, limits)) ?? { kind: 'gone' },
  };
}

/** Delivers each channel separately, so that a broken one blocks no other. */
async function startDeliveries(parts: {
  readonly own: RegisterClosable;
  readonly config: GatewayConfig;
  readonly log: Log;
  readonly pool: Pool;
  readonly redis: Redis;
  readonly publisher: Publisher;
  readonly channels: readonly Channel[];
  readonly cipher: SecretSealer;
  readonly challenges: ChallengeStore;
  readonly metrics: GatewayMetrics;
  readonly tracing: Tracing;
}) {
  const { own, config, log, pool, redis, channels, metrics, publisher } = parts;
  const { REDIS_PREFIX: prefix } = config;
  const deliveryOf = (chatKey: string): ChannelDelivery | undefined =>
    deliveries.find(({ channel }) => channel.name === getChannel(chatKey));
  const notifier = createNotifier({
    publisher,
    redis,
    prefix,
    log,
    // A chat of another channel is left to the sweeper of that channel's gateway.
    deliverHere: (delivery) => deliveryOf(delivery.chatKey)?.deliverHere(delivery),
  });
  const wake = notifier.wakeChats;
  const deliveries = channels.map((channel) => startDelivery({ ...parts, channel, wake }));
  const names = channels.map(({ name }) => name);
  own(
    await subscribeToUrgent({
      redisUrl: config.REDIS_URL,
      prefix,
      channels: names,
      log,
      onDelivery: (delivery) => deliveryOf(delivery.chatKey)?.deliverFirst(delivery),
    }),
  );
  if (channels.some(({ drafts }) => drafts))
    own(
      await subscribeToDrafts({
        redisUrl: config.REDIS_URL,
        prefix,
        log,
        onDraft: (draft) => deliveryOf(draft.chatKey)?.receiveDraft(draft),
      }),
    );
  own(startSweeper({ pool, channels: names, log, metrics, wake }));
  return { notifier, deliveries };
}
