import { INBOUND, OUTBOUND, STOP_CHANNEL } from '@signalbox/contracts/conversation/topics';
import { putDeadLetter } from '@signalbox/store/conversation/dead-letters';
import { soFarOfMessage } from '@signalbox/store/governance/actions';
import { knownNames } from './turn/known-names.ts';
import { taintByMessages, taintThread } from './governance/taint.ts';
import { checkDatabase } from '@signalbox/store/database-check';
import { openPool, type Pool } from '@signalbox/store/pool';
import { say } from '@signalbox/contracts/errors';
import { background, type Own } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import type { ModelObserver, Models } from '@signalbox/models/port';
import { withoutSecrets } from './agents/without-secrets.ts';
import { waitForServers } from '@signalbox/platform/needed-servers';
import { cameOf } from './tools/stored-result.ts';
import { createMetrics, openProbe } from '@signalbox/platform/probe';
import { checkRedis, closeRedis, openRedis } from '@signalbox/platform/redis';
import { startConsumer } from '@signalbox/platform/streams/consume';
import { createDraftPublisher } from '@signalbox/platform/streams/drafts';
import { createPublisher, type Publisher } from '@signalbox/platform/streams/publish';
import type { AgentPlugin } from './agents/agent.ts';
import { Checkpoints, setUpCheckpoints } from './agents/checkpoints.ts';
import { createAgents, DEFAULT_AGENT, loadAgents } from './agents/registry.ts';
import type { WorkerConfig } from './config.ts';
import { createLanes, type Lanes } from './turn/lanes.ts';
import { observeModels, observeTurns } from './metrics.ts';
import { createThreadSequences } from './turn/threads.ts';
import { loadGroups } from './governance/loop/load-groups.ts';
import { resumeDecision } from './governance/approvals/approval-resume.ts';
import { createJudge } from './governance/loop/judge.ts';
import { bindOffers } from './governance/offers.ts';
import { executeCall } from './governance/execute.ts';
import { reconcileNext } from './governance/reconcile.ts';
import type { ExecuteParts } from './governance/parts.ts';
import { openWorkerPolicies } from './governance/decision/policies.ts';
import { startReconciler } from './reconciler.ts';
import { WORDS } from './turn/reply.ts';
import type { Ports } from './tools/ports/ports.ts';
import { redactValue } from '@signalbox/safety/redact/redact';
import { createRegistry, loadCapabilities, offerOf, type ToolRegistry } from './tools/registry.ts';
import type { ToolGroup } from './tools/tool.ts';
import { searchKnowledge } from './tools/search.ts';
import { runTurn } from './turn/turn.ts';

/** What a worker is made of beside its configuration: see wire.ts for the product's own. */
export interface WorkerWiring {
  /** Capability groups besides those of the folder, or instead of those that have the same names. */
  readonly groups?: readonly ToolGroup[];
  /** Throws CONFIG_INVALID when a model is given to an agent or node that does not exist. */
  models(registry: ToolRegistry, agents: readonly AgentPlugin[], observer: ModelObserver): Promise<Models>;
  ports(pool: Pool): Ports | Promise<Ports>;
  jobs(own: Own, pool: Pool, publisher: Publisher): Pick<ExecuteParts, 'enqueue' | 'work' | 'look'>;
}

export interface Worker {
  readonly lanes: Lanes;
  readonly probePort: number;
}

/** Connections held for tool locks are apart from the others: a holder must never wait for a connection that waits for it. */
const LOCK_CONNECTIONS = 4;

/** Opens a worker: connections first, the consumer last. Parts are closed in reverse by their owner. */
export async function createWorker(own: Own, config: WorkerConfig, log: Log, wiring: WorkerWiring): Promise<Worker> {
  const { DATABASE_URL, REDIS_URL, REDIS_PREFIX: prefix, STREAM_PARTITIONS: partitions, WORKER_NAME: worker } = config;
  // Listens before anything else, so that readiness says what is waited for.
  const probe = own(await openProbe({ host: config.PROBE_HOST, port: config.PROBE_PORT, log }));
  await waitForServers({
    checks: [() => checkDatabase(DATABASE_URL, 'worker'), () => checkRedis(REDIS_URL)],
    probe,
    own,
    log,
  });
  const pool = ownPool(
    own,
    openPool(DATABASE_URL, log, { name: 'worker', max: config.DATABASE_CONNECTIONS, as: 'worker' }),
  );
  const lockPool = ownPool(
    own,
    openPool(DATABASE_URL, log, { name: 'worker-locks', max: LOCK_CONNECTIONS, as: 'worker' }),
  );
  const redis = openRedis(REDIS_URL, log);
  own({ close: () => closeRedis(redis) });

  await prepareCheckpoints(DATABASE_URL, log);
  const checkpoints = new Checkpoints(pool);
  const registry = createRegistry(await loadCapabilities(wiring.groups));
  const metrics = createMetrics('worker');
  const plugins = await loadAgents();
  const models = withoutSecrets(await wiring.models(registry, plugins, observeModels(metrics)));
  const ports = await wiring.ports(pool);
  const publisher = createPublisher({ redis, prefix, partitions });
  const publishDraft = createDraftPublisher({ redis, prefix, log });
  const announce = (chatKey: string, traceId: string): Promise<void> =>
    publisher
      .publish(OUTBOUND, [{ kind: 'send', chatKey, traceId }])
      .catch((error: unknown) => log.warn('reply not announced; the sweeper will', { chatKey, traceId, error }));
  const policies = own(await openWorkerPolicies({ config, pool, log, announce }));
  const limits = {
    callsPerHour: config.BUDGET_CALLS_PER_HOUR ?? null,
    tokensPerDay: config.BUDGET_TOKENS_PER_DAY ?? null,
    costUsdPerDay: config.BUDGET_USD_PER_DAY ?? null,
  };
  const execute: ExecuteParts = {
    pool,
    lockPool,
    registry,
    ports,
    limits,
    policy: () => policies.current(),
    redact: redactValue,
    announce,
    ...wiring.jobs(own, pool, publisher),
  };
  const agents = createAgents(plugins, {
    models,
    checkpoints,
    registry: offerOf(registry),
    cameOf: (callIds) => cameOf(pool, callIds),
    knownNames: (words) => knownNames(pool, words),
    maxPasses: config.MAX_PASSES,
    search: (query, scope, userKey) => searchKnowledge(ports.knowledge, query, scope, userKey, log),
  });

  const account = {
    pool,
    timeZone: config.POLICY_TIME_ZONE,
    toolKind: (name: string) => registry.groups.find(({ tools }) => Object.hasOwn(tools, name))?.tools[name] ?? null,
    verbs: commandVerbs(registry.groups),
  };
  const judge = createJudge({ pool, limits });
  const threads = createThreadSequences({ redis, pool, prefix });
  const lanes = own(
    createLanes({
      pool,
      publisher,
      log,
      worker,
      leaseMs: config.LANE_LEASE_MS,
      idleMs: config.idleMs,
      agent: DEFAULT_AGENT,
      onTurn: observeTurns(metrics),
      onThread: (begun) => {
        if (begun.threadNew && begun.threadId) background(log, 'thread mirror', threads.record(begun.threadId));
      },
      turn: (begun, signals) =>
        runTurn(
          {
            pool,
            agent: agents.get(DEFAULT_AGENT),
            agentId: DEFAULT_AGENT,
            agentClass: classOf(plugins, DEFAULT_AGENT),
            worker,
            idleMs: config.idleMs,
            log,
            openThread: (threadId, lane) => checkpoints.open(threadId, lane, lane.threadNew && !lane.resumed),
            closeThread: (threadId, committed) => checkpoints.close(threadId, committed),
            flush: (threadId) => checkpoints.flush(threadId),
            pendingCheckpoint: (threadId) => checkpoints.pending(threadId),
            checkpointStored: (threadId) => checkpoints.stored(threadId),
            taint: (threadId, source, messages) =>
              messages === null
                ? taintThread(pool, threadId, source)
                : taintByMessages(
                    pool,
                    threadId,
                    messages.map(({ id }) => id),
                    source,
                  ),
            execute: (scope, call) => executeCall(execute, scope, call),
            offer: ({ begun: lane, ...context }, person, buttons) => {
              const agent = { id: DEFAULT_AGENT, class: classOf(plugins, DEFAULT_AGENT) };
              const asker = { ...context, agent, actor: { userKey: lane.userKey, ...person } };
              return bindOffers(registry, asker, buttons, null);
            },
            resume: (scope, decision) => resumeDecision(execute, scope, decision),
            load: (scope, groups) => loadGroups(execute, scope, groups),
            judge,
            announce,
            publishDraft,
            account,
            soFar: (userKey, message) => soFarOfMessage(pool, userKey, message),
            recordHead: () => ({
              agent: DEFAULT_AGENT,
              agentClass: classOf(plugins, DEFAULT_AGENT),
              policy: { version: policies.current().version, timeZone: config.POLICY_TIME_ZONE },
              maxPasses: config.MAX_PASSES,
            }),
          },
          begun,
          signals,
        ),
    }),
  );

  own(
    startReconciler({
      log,
      next: (signal) =>
        reconcileNext(execute, (status, { say }, exact) => WORDS.lookedUp(status, say, exact), signal, log),
    }),
  );

  const nudges = openRedis(REDIS_URL, log, 0);
  own({ close: () => closeRedis(nudges) });
  nudges.on('message', (_channel: string, userKey: string) => background(log, 'stop nudge', lanes.nudge(userKey)));
  await nudges.subscribe(`${prefix}${STOP_CHANNEL}`);

  const consumer = own(
    startConsumer({
      topic: INBOUND,
      redisUrl: REDIS_URL,
      prefix,
      partitions,
      consumer: worker,
      slots: config.WORKER_SLOTS,
      log,
      handle: (wakeUp) => lanes.handle(wakeUp),
      drainMs: 200, // running turns are the lanes' to drain
      onUnreadable: async (entryId, raw, detail) => {
        log.error('unreadable entry', { stream: INBOUND.name, entryId, detail });
        await putDeadLetter(pool, {
          source: 'stream',
          ref: `${INBOUND.name}:${entryId}`,
          userKey: null,
          reason: say('ENVELOPE_UNREADABLE', { stream: INBOUND.name, detail }),
          body: raw.slice(0, 4_000),
        });
      },
    }),
  );
  probe.serve({
    metrics,
    problems: async () => [
      ...(await pool.query('select 1').then(
        () => [],
        (error: unknown) => [`postgres: ${String(error)}`],
      )),
      ...(consumer.healthy() && redis.status === 'ready' ? [] : ['redis: the inbound stream cannot be read']),
    ],
  });
  own({ close: () => Promise.resolve(probe.wait(['stopping'])) });
  log.info('worker is up', {
    worker,
    models: models.names,
    slots: config.WORKER_SLOTS,
    groups: registry.groups.map((group) => group.name),
    probePort: probe.port,
  });
  return { lanes, probePort: probe.port };
}

function classOf(plugins: readonly AgentPlugin[], id: string): AgentPlugin['class'] {
  return plugins.find((plugin) => plugin.id === id)?.class ?? 'READ_ONLY_SCAN';
}

/** The tables of the saver are not of our migrations: they are made by the owner, once, before anybody reads them. */
async function prepareCheckpoints(databaseUrl: string, log: Log): Promise<void> {
  const owner = openPool(databaseUrl, log, { name: 'worker-setup', max: 2, as: 'owner' });
  try {
    await setUpCheckpoints(owner);
  } finally {
    await owner.end();
  }
}

function ownPool(own: Own, pool: Pool): Pool {
  own({ close: () => pool.end() });
  return pool;
}

/** With which words the commands begin that the tools teach. */
function commandVerbs(groups: readonly ToolGroup[]): ReadonlySet<string> {
  const hints = groups.flatMap(({ tools }) => Object.values(tools).flatMap((tool) => tool.hints));
  return new Set(hints.map((hint) => /^[a-z]{3,}/.exec(hint)?.[0] ?? ''));
}
