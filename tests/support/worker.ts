import { createWorker, type WorkerWiring } from '@signalbox/worker/worker';
import { loadConfig } from '@signalbox/worker/config';
import { closeAll, type Closable } from '@signalbox/platform/lifecycle';
import { createLog, type Log } from '@signalbox/platform/log';
import { openPool, type Pool } from '@signalbox/store/pool';
import { openRedis, closeRedis } from '@signalbox/platform/redis';
import { createPublisher } from '@signalbox/platform/streams/publish';
import { createScriptedModels, type ModelScript } from './scripted-model.ts';
import { INBOUND_TOPIC } from '@signalbox/contracts/conversation/topics';
import type { InboundEnvelope, MessageEnvelope } from '@signalbox/contracts/conversation/envelope';
import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { createWiring } from '@signalbox/worker/wire';
import { createDatabase } from './database.ts';
import { openWiring, type Wiring } from './wiring.ts';
import { loadTestConfig } from './config.ts';
import { eventually } from './until.ts';

/** Everything that a worker test needs: a database, a key prefix, and workers that are closed at the end. */
export interface WorkerBench {
  /** The owner's address, for assertions and the command line. */
  readonly databaseUrl: string;
  /** The administrator's address. */
  readonly redisUrl: string;
  /** How each service is started. */
  readonly wiring: Wiring;
  readonly prefix: string;
  readonly pool: Pool;
  readonly log: Log;
  /**
   * Starts a worker whose model follows a script, or, with MODEL in `env` and no script, whose models are those of `env`.
   * The wiring's other parts may be given too.
   */
  startWorker(options: {
    script?: ModelScript;
    wiring?: Partial<WorkerWiring>;
    env?: Record<string, string>;
  }): Promise<{ readonly probePort: number; close(): Promise<void> }>;
  /** Puts a message into the inbox as the gateway does, and wakes the lane unless `silent`. Answers its inbox id. */
  say(
    userKey: string,
    text: string,
    options?: {
      chatKey?: string;
      silent?: boolean;
      kind?: 'message' | 'new';
      /** What the gateway has decoded besides: a forward, a file, a button. */
      with?: Partial<MessageEnvelope>;
    },
  ): Promise<number>;
  /** Says something and waits until each of the person's messages has an outcome. Answers the texts that came since. */
  ask(userKey: string, text: string): Promise<readonly string[]>;
  /** What the gateway does on /stop. */
  stop(userKey: string): Promise<void>;
  /** Waits until nothing is held or open, so that a late write would be seen. */
  settle(): Promise<void>;
  /** Publishes a wake-up. */
  wake(userKey: string): Promise<void>;
  /** Texts of the outbox rows of a person, in order. */
  replies(userKey: string): Promise<string[]>;
  /** How the inbox rows of a person ended, in order; null for open ones. */
  outcomes(userKey: string): Promise<(string | null)[]>;
  addPerson(userKey: string, role?: string): Promise<void>;
  close(): Promise<void>;
}

export async function openWorkerBench(options: { redisUrl?: string; log?: Log } = {}): Promise<WorkerBench> {
  const database = await createDatabase();
  const prefix = `t${randomBytes(4).toString('hex')}:`;
  const redisUrl = options.redisUrl ?? inject('redisUrl');
  const log = options.log ?? createLog('test', loadTestConfig().logLevel);
  const pool = openPool(database.url, log, { name: 'test', max: 8, as: 'owner' });
  const redis = openRedis(redisUrl, log);
  const wired = await openWiring({ databaseUrl: database.url, redisUrl, prefix });
  const publisher = createPublisher({ redis, prefix, partitions: 1 });
  const workers = new Set<{ close(): Promise<void> }>();
  let updates = 0;

  const bench: WorkerBench = {
    databaseUrl: database.url,
    redisUrl,
    wiring: wired,
    prefix,
    pool,
    log,
    startWorker: async ({ script, wiring = {}, env = {} }) => {
      const parts: Closable[] = [];
      const config = loadConfig(wired.env('worker', { WORKER_NAME: `worker-${workers.size + 1}`, ...env }));
      const { probePort } = await createWorker(
        (part) => {
          parts.push(part);
          return part;
        },
        config,
        log,
        {
          ...createWiring(config, log),
          ...(script || !env['MODEL']
            ? { models: () => Promise.resolve(createScriptedModels(script ?? (() => ({ content: 'hello' })))) }
            : {}),
          ...wiring,
        },
      );
      const worker = {
        probePort,
        close: async () => {
          workers.delete(worker);
          await closeAll(parts.splice(0), log);
        },
      };
      workers.add(worker);
      return worker;
    },
    say: async (
      userKey,
      text,
      { chatKey = `telegram:${userKey}`, silent = false, kind = 'message', with: more } = {},
    ) => {
      updates += 1;
      const base = {
        id: `telegram:100:${updates}`,
        channel: 'telegram',
        bot: '100',
        updateId: String(updates),
        userKey,
        chatKey,
        traceId: `trc_${updates}`,
        at: new Date().toISOString(),
        chatKind: 'private' as const,
        name: `P${userKey}`,
      };
      const envelope: InboundEnvelope =
        kind === 'new'
          ? { ...base, kind: 'command', command: 'new' }
          : { ...base, kind: 'message', text, messageId: String(updates), button: null, ...more };
      const { rows } = await pool.query<{ id: string }>(
        `with l as (insert into lanes (user_key) values ($4) on conflict do nothing)
         insert into inbox (channel, bot, update_id, user_key, chat_key, kind, envelope, trace_id)
         values ($1, $2, $3, $4, $5, $6, $7, $8) returning id`,
        ['telegram', '100', base.updateId, userKey, chatKey, envelope.kind, JSON.stringify(envelope), base.traceId],
      );
      if (!silent) await bench.wake(userKey);
      return Number(rows[0]?.id);
    },
    stop: async (userKey) => {
      const { rows } = await pool.query<{ top: string }>('select max(id) as top from inbox where user_key = $1', [
        userKey,
      ]);
      await pool.query('update lanes set stop_before = $2 where user_key = $1', [userKey, Number(rows[0]?.top) + 1]);
      await redis.publish(`${prefix}stop`, userKey);
    },
    settle: async () => {
      const open = `select 1 from lanes where worker is not null union all select 1 from inbox where outcome is null`;
      await eventually(
        async () => (await pool.query(open)).rowCount,
        (count) => count === 0,
      );
    },
    wake: (userKey) => publisher.publish(INBOUND_TOPIC, [{ userKey, traceId: 'wake' }]),
    replies: async (userKey) => {
      const { rows } = await pool.query<{ text: string }>(
        `select body ->> 'text' as text from outbox where user_key = $1 order by id`,
        [userKey],
      );
      return rows.map((row) => row.text);
    },
    ask: async (userKey, text) => {
      const [before, told] = [(await bench.outcomes(userKey)).length, (await bench.replies(userKey)).length];
      await bench.say(userKey, text);
      await eventually(
        () => bench.outcomes(userKey),
        (all) => all.length > before && all.every((one) => one !== null),
      );
      return (await bench.replies(userKey)).slice(told);
    },
    outcomes: async (userKey) => {
      const { rows } = await pool.query<{ outcome: string | null }>(
        'select outcome from inbox where user_key = $1 order by id',
        [userKey],
      );
      return rows.map((row) => row.outcome);
    },
    addPerson: async (userKey, role = 'admin') => {
      await pool.query(`insert into users (user_key, channel, name, role) values ($1, 'telegram', $2, $3)`, [
        userKey,
        `P${userKey}`,
        role,
      ]);
    },
    close: async () => {
      for (const worker of workers) await worker.close();
      await closeRedis(redis);
      await pool.end();
      await database.drop();
    },
  };
  return bench;
}
