import { INBOUND_TOPIC, OUTBOUND_TOPIC, STOP_CHANNEL } from '@signalbox/contracts/conversation/topics';
import { putDeadLetter } from '@signalbox/store/conversation/dead-letters';
import { NameCache } from './agents/known-names.ts';
import { checkDatabase, findDatabaseProblem } from '@signalbox/store/database-check';
import { openPool, type Pool } from '@signalbox/store/pool';
import { sayError } from '@signalbox/messages/say';
import { runInBackground, type RegisterClosable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import type { ModelObserver, Models } from '@signalbox/models/port';
import { withRedaction } from './agents/without-secrets.ts';
import { waitForServers } from '@signalbox/platform/needed-servers';
import { describeResults } from '@signalbox/governance/calls/stored-result';
import { createMetrics, openProbe } from '@signalbox/platform/probe';
import { checkRedis, closeRedis, findRedisProblem, openRedis, type Redis } from '@signalbox/platform/redis';
import { type Consumer, startConsumer } from '@signalbox/platform/streams/consume';
import { createMemoryRoom } from '@signalbox/platform/streams/room';
import { requestFile } from '@signalbox/platform/streams/files';
import { dropHandedFile, putHandedFile } from '@signalbox/platform/streams/handed-files';
import { openTracing } from '@signalbox/platform/tracing/open-tracing';
import type { Tracing } from '@signalbox/platform/tracing/tracing';
import { createDraftPublisher } from '@signalbox/platform/streams/drafts';
import { createPublisher, type Publisher } from '@signalbox/platform/streams/publish';
import { publishUrgent, type UrgentDeps } from '@signalbox/platform/streams/urgent';
import type { AgentPlugin } from './agents/agent.ts';
import { Checkpoints } from './checkpoints/checkpoints.ts';
import { ContextAssembler } from './context/assembler.ts';
import { readAuditLogId } from '@signalbox/store/audit/audit-chain';
import { publishAgents } from '@signalbox/store/conversation/agents';
import { createAgents, loadAgents } from './agents/registry.ts';
import { loadWorkerParts } from './plugin-parts.ts';
import type { WorkerConfig } from './config.ts';
import { serveWorkerFigures } from './figures.ts';
import { Lanes } from './turn/lanes.ts';
import { observeModels, observeTurns } from './metrics.ts';
import { createThreadSequences } from './turn/threads.ts';
import { countWaiting } from './agents/waiting-calls.ts';
import { reconcileNextAction } from '@signalbox/governance/reconcile';
import type { GovernanceDeps } from '@signalbox/governance/deps';
import { openWorkerPolicies } from '@signalbox/governance/policies';
import { startReconciler } from './reconciler.ts';
import { REPLY_TEXTS } from './turn/reply.ts';
import type { Ports } from './tools/ports/ports.ts';
import { redactValue } from '@signalbox/safety/redact/redact';
import { createRegistry, loadCapabilities, toOfferedTools, type ToolRegistry } from './tools/registry.ts';
import type { ToolGroup } from './tools/tool.ts';
import type { ToolRunDeps } from './tools/run.ts';
import { readResult } from './tools/read-result.ts';
import { searchKnowledge } from './tools/search.ts';
import { createTools } from './tools/tools.ts';
import type { TurnReportDeps } from './turn/turn-account.ts';
import type { TurnDeps } from './turn/turn-parts.ts';
import { createSessionNames, traceModels } from './turn/turn-trace.ts';
import { runTurn } from './turn/turn.ts';

/** Dependencies of a worker besides its configuration; wire.ts creates those of the product. */
export interface WorkerWiring {
  /** Tool groups besides those of capabilities/ and of plug-ins; a group of an equal name is replaced. */
  readonly groups?: readonly ToolGroup[];
  readonly agents?: readonly AgentPlugin[];
  /** Throws CONFIG_INVALID when a model is configured for an unknown agent or node. */
  models(
    registry: ToolRegistry,
    agents: readonly AgentPlugin[],
    observer: ModelObserver,
    redis: Redis,
  ): Promise<Models>;
  /** `notify`: wakes another chat than the turn's, for which a port has put a message into the outbox. */
  ports(
    pool: Pool,
    registry: ToolRegistry,
    notify: GovernanceDeps['notify'],
    metrics: ReturnType<typeof createMetrics>,
  ): Ports | Promise<Ports>;
  jobs(own: RegisterClosable, pool: Pool, publisher: Publisher): Pick<ToolRunDeps, 'enqueue' | 'work' | 'look'>;
}

/** Connections for tool locks are separate: a lock's holder must never wait for a connection that waits for the lock. */
const LOCK_CONNECTIONS = 5;

/** Memory of a turn while it waits for its model, with a margin: about 210 KB were measured. */
const TURN_BYTES = 256 * 1_024;

/** Opens a worker: connections first, the consumer last. Its owner closes parts in reverse order. */
export async function createWorker(own: RegisterClosable, config: WorkerConfig, log: Log, wiring: WorkerWiring) {
  // The probe starts first, so that readiness says what the worker waits for.
  const probe = own(await openProbe({ host: config.PROBE_HOST, port: config.PROBE_PORT, log }));
  await waitForServers({
    checks: [() => checkDatabase(config.DATABASE_URL, 'worker'), () => checkRedis(config.REDIS_URL)],
    probe,
    own,
    log,
  });
  const tracing = own(await openTracing(config, 'worker', log));
  const servers = openServers(own, config, log);
  const metrics = createMetrics('worker');
  const turns = await prepareTurns({ own, config, log, wiring, servers, metrics, tracing });
  const lanes = own(
    new Lanes({
      ...servers,
      log,
      timeZone: config.POLICY_TIME_ZONE,
      worker: config.WORKER_NAME,
      leaseMs: config.LANE_LEASE_MS,
      idleMs: config.idleMs,
      agent: config.AGENT_DEFAULT,
      onTurn: observeTurns(metrics),
      onThread: ({ threadId, threadNew }) => {
        if (threadNew && threadId) runInBackground(log, 'thread mirror', turns.threads.record(threadId));
      },
      turn: (claimed, signals) => runTurn(turns.partsOf(claimed.agent), claimed, signals),
    }),
  );
  own(
    startReconciler(log, (signal) =>
      reconcileNextAction(
        turns.governance,
        (status, { say }, exact) => REPLY_TEXTS.lookedUp(status, say, exact),
        signal,
        log,
      ),
    ),
  );
  await listenForStops(own, config, log, lanes);
  const consumer = own(consumeWakeUps(config, log, servers.pool, lanes, turns.waiting));
  const { pool, redis } = servers;
  serveWorkerFigures({ metrics, pool, redis, limits: limitsOf(config), config, log });
  probe.serve({
    metrics,
    problems: async () => {
      const found = await Promise.all([findDatabaseProblem(pool), findRedisProblem(redis)]);
      const reading = consumer.healthy() && redis.status === 'ready' ? null : 'the inbound stream cannot be read';
      return [...found, reading].filter((problem) => problem !== null);
    },
  });
  own({ close: () => Promise.resolve(probe.wait(['stopping'])) });
  log.info('worker is up', {
    worker: config.WORKER_NAME,
    models: turns.models.names,
    groups: turns.governance.tools.groups.map((group) => group.name),
    probePort: probe.port,
  });
  return { lanes, probePort: probe.port };
}

function openServers(own: RegisterClosable, { DATABASE_URL, DATABASE_CONNECTIONS, ...config }: WorkerConfig, log: Log) {
  const open = (name: string, max: number): Pool => {
    const pool = openPool(DATABASE_URL, log, { name, max, as: 'worker' });
    own({ close: () => pool.end() });
    return pool;
  };
  const pool = open('worker', DATABASE_CONNECTIONS);
  const lockPool = open('worker-locks', LOCK_CONNECTIONS);
  const redis = openRedis(config.REDIS_URL, log);
  own({ close: () => closeRedis(redis) });
  const publisher = createPublisher({ redis, prefix: config.REDIS_PREFIX, partitions: config.STREAM_PARTITIONS });
  return { pool, lockPool, redis, publisher };
}

async function prepareTurns({
  own,
  config,
  log,
  wiring,
  servers: { pool, lockPool, redis, publisher },
  metrics,
  tracing,
}: {
  readonly own: RegisterClosable;
  readonly config: WorkerConfig;
  readonly log: Log;
  readonly wiring: WorkerWiring;
  readonly servers: ReturnType<typeof openServers>;
  readonly metrics: ReturnType<typeof createMetrics>;
  readonly tracing: Tracing;
}) {
  const prefix = config.REDIS_PREFIX;
  const checkpoints = new Checkpoints(pool, config.CHECKPOINTS);
  const brought = await loadWorkerParts(config.AGENTS);
  const registry = createRegistry(await loadCapabilities(wiring.groups, brought.groups));
  const plugins = await loadAgents([...brought.agents, ...(wiring.agents ?? [])]);
  await publishAgents(pool, plugins, config.AGENT_DEFAULT);
  const { models, waiting } = countWaiting(
    withRedaction(await wiring.models(registry, plugins, traceModels(observeModels(metrics)), redis)),
  );
  const notify = createChatNotifier({ redis, prefix, publisher, log });
  const ports = await wiring.ports(pool, registry, notify, metrics);
  const policies = own(await openWorkerPolicies({ config, folders: brought.policies, pool, log, notify }));
  const runs: ToolRunDeps = { pool, ports, ...wiring.jobs(own, pool, publisher) };
  const governance: GovernanceDeps = {
    pool,
    lockPool,
    tools: createTools(registry, runs),
    limits: limitsOf(config),
    policy: () => policies.current(),
    redact: redactValue,
    notify,
  };
  const names = new NameCache(pool);
  const context = new ContextAssembler({
    db: pool,
    policies: () => policies.currentSet(),
    timeZone: config.POLICY_TIME_ZONE,
    titleOf: (action) => ports.requests.titleOf(action),
  });
  const agents = createAgents(
    plugins,
    {
      models,
      checkpoints,
      registry: toOfferedTools(registry),
      cameOf: (callIds) => describeResults(pool, callIds),
      knownNames: (texts) => names.of(texts),
      context: (of) => context.assemble(of),
      maxPasses: config.MAX_PASSES,
      readResult: (request) => readResult(pool, request),
      search: (asked, reader) => searchKnowledge({ knowledge: ports.knowledge, log }, asked, reader),
    },
    config.AGENT_DEFAULT,
  );
  const parts: Omit<TurnDeps, 'plugin' | 'agent'> = {
    pool,
    log,
    checkpoints,
    governance,
    choices: { ...runs, registry },
    account: accountParts(pool, names, registry, config.POLICY_TIME_ZONE),
    settings: { worker: config.WORKER_NAME, idleMs: config.idleMs, maxPasses: config.MAX_PASSES },
    fetchFile: (file, signal) => requestFile({ redisUrl: config.REDIS_URL, prefix, log }, file, signal),
    attachments: createKeepDeps(redis, prefix, runs),
    publishDraft: createDraftPublisher({ redis, prefix, log }),
    tracing: { tracing, sessionOf: createSessionNames(tracing.isOn ? await readAuditLogId(pool) : '') },
  };
  const partsOf = (id: string): TurnDeps => ({ ...parts, plugin: pluginOf(plugins, id), agent: agents.get(id) });
  return { partsOf, governance, models, waiting, threads: createThreadSequences({ redis, pool, prefix }) };
}

/** Never throws: what is not announced, the sweeper of the gateway finds. */
function createChatNotifier({ log, ...deps }: UrgentDeps & { readonly log: Log }): GovernanceDeps['notify'] {
  return async (chatKey, traceId, isUrgent = false) => {
    const deliveries = [{ kind: 'send' as const, chatKey, traceId }];
    const announced = isUrgent ? publishUrgent(deps, deliveries) : deps.publisher.publish(OUTBOUND_TOPIC, deliveries);
    await announced.catch((error: unknown) =>
      log.warn('reply not announced; the sweeper will', { chatKey, traceId, error }),
    );
  };
}

function createKeepDeps(redis: Redis, prefix: string, { work, look }: ToolRunDeps): TurnDeps['attachments'] {
  return {
    work,
    look,
    hand: (id, bytes) => putHandedFile(redis, prefix, id, bytes),
    drop: (id) => dropHandedFile(redis, prefix, id),
  };
}

function limitsOf(config: WorkerConfig): GovernanceDeps['limits'] {
  return {
    callsPerHour: config.BUDGET_CALLS_PER_HOUR ?? null,
    tokensPerDay: config.BUDGET_TOKENS_PER_DAY ?? null,
    costUsdPerDay: config.BUDGET_USD_PER_DAY ?? null,
  };
}

function accountParts(pool: Pool, names: NameCache, { groups }: ToolRegistry, timeZone: string): TurnReportDeps {
  const groupOf = (name: string): ToolGroup | undefined => groups.find(({ tools }) => Object.hasOwn(tools, name));
  return {
    pool,
    names,
    timeZone,
    toolKind: (name) => groupOf(name)?.tools[name] ?? null,
    isOwned: (name) => groupOf(name)?.owner !== undefined,
    verbs: commandVerbs(groups),
  };
}

/** Notifies a running turn of a /stop at once, before the next heartbeat. */
async function listenForStops(own: RegisterClosable, config: WorkerConfig, log: Log, lanes: Lanes): Promise<void> {
  const nudges = openRedis(config.REDIS_URL, log, 0);
  own({ close: () => closeRedis(nudges) });
  nudges.on('message', (_channel: string, userKey: string) => runInBackground(log, 'stop nudge', lanes.nudge(userKey)));
  await nudges.subscribe(`${config.REDIS_PREFIX}${STOP_CHANNEL}`);
}

function consumeWakeUps(config: WorkerConfig, log: Log, pool: Pool, lanes: Lanes, waiting: () => number): Consumer {
  const room = createMemoryRoom(TURN_BYTES);
  return startConsumer({
    topic: INBOUND_TOPIC,
    redisUrl: config.REDIS_URL,
    prefix: config.REDIS_PREFIX,
    partitions: config.STREAM_PARTITIONS,
    consumer: config.WORKER_NAME,
    // Another worker reads what this one would not claim.
    slots: () => (lanes.isLate() ? 0 : room()),
    waiting,
    log,
    handle: (wakeUp) => lanes.handle(wakeUp),
    drainMs: 200, // `Lanes.close` waits for running turns
    onUnreadable: async (entryId, raw, detail) => {
      log.error('unreadable entry', { stream: INBOUND_TOPIC.name, entryId, detail });
      await putDeadLetter(pool, {
        source: 'stream',
        ref: `${INBOUND_TOPIC.name}:${entryId}`,
        userKey: null,
        reason: sayError('ENVELOPE_UNREADABLE', { stream: INBOUND_TOPIC.name, detail }),
        body: raw.slice(0, 4_000),
      });
    },
  });
}

function pluginOf(plugins: readonly AgentPlugin[], id: string): TurnDeps['plugin'] {
  return plugins.find((plugin) => plugin.id === id) ?? { id, class: 'READ_ONLY_SCAN' };
}

function commandVerbs(groups: readonly ToolGroup[]): ReadonlySet<string> {
  const hints = groups.flatMap(({ tools }) => Object.values(tools).flatMap((tool) => tool.hints));
  return new Set(hints.map((hint) => /^[a-z]{3,}/.exec(hint)?.[0] ?? ''));
}
