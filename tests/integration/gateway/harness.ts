import { randomBytes } from 'node:crypto';
import { INBOUND_TOPIC, OUTBOUND_TOPIC, type StreamTopic } from '@signalbox/contracts/conversation/topics';
import { putOutbox } from '@signalbox/store/conversation/outbox';
import { openPool, type Pool } from '@signalbox/store/pool';
import { grantUserRole } from '@signalbox/store/people/users';
import { closeAll, type Closable } from '@signalbox/platform/lifecycle';
import { createLog, type Log } from '@signalbox/platform/log';
import { closeRedis, openRedis, type Redis } from '@signalbox/platform/redis';
import { getStreamKey } from '@signalbox/platform/streams/keys';
import { createPublisher } from '@signalbox/platform/streams/publish';
import { loadConfig } from '@signalbox/gateway/config';
import { createGateway, type Gateway } from '@signalbox/gateway/gateway';
import { createSimulator } from '@signalbox/telegram-simulator/server';
import { createSimulatorClient, type SimulatorClient } from '@signalbox/telegram-simulator/simulator-client';
import { inject } from 'vitest';
import { createDatabase } from '../../support/database.ts';
import { GATEWAY_DEPARTURES, variablesOf } from '../../support/departures.ts';
import { openWiring, START_KEY, type Wiring } from '../../support/wiring.ts';

export interface StartedGateway extends Closable {
  readonly gateway: Gateway;
  /** Everything it logged, one object per line. */
  readonly lines: readonly Record<string, unknown>[];
}

export interface Harness {
  readonly pool: Pool;
  readonly redis: Redis;
  readonly prefix: string;
  readonly people: SimulatorClient;
  readonly simulatorUrl: string;
  /** The owner's address, for assertions and the command line. */
  readonly databaseUrl: string;
  /** The administrator's address. */
  readonly redisUrl: string;
  /** How each service is started. */
  readonly wiring: Wiring;
  startGateway(settings?: Readonly<Record<string, string>>): Promise<StartedGateway>;
  /** Puts rows for one chat into the outbox and announces them. */
  say(chatKey: string, rows: readonly SaidRow[], announce?: boolean): Promise<readonly number[]>;
  /** Messages on a stream, oldest first. Entries are only deleted by consumers, and no worker runs here. */
  entries(topic: StreamTopic): Promise<readonly Record<string, unknown>[]>;
  rows<T>(text: string, values?: readonly unknown[]): Promise<readonly T[]>;
  /** A bot may only write to people who wrote to it first. Resolves once a gateway has admitted their greetings. */
  meet(...people: readonly number[]): Promise<void>;
  /** What the bot said in a private chat, or in the group. */
  said(person: number, chat?: 'ops'): Promise<readonly string[]>;
  /** The bot's calls of one method so far. */
  calls(method: string): Promise<readonly Call[]>;
  /** What goes wrong with the next calls of a method. */
  fault(fault: Readonly<Record<string, unknown>>): Promise<void>;
  close(): Promise<void>;
}

export interface Call {
  readonly method: string;
  readonly at: number;
  readonly chatId: number | null;
  readonly params: Readonly<Record<string, unknown>>;
  readonly status: number | null;
}

export interface SaidRow {
  readonly text: string;
  readonly buttons?: readonly { readonly label: string; readonly value: string; readonly ends?: string }[];
  readonly priority?: number;
  readonly slot?: string | null;
  readonly onlyChanges?: boolean;
  readonly linkTo?: string;
  readonly userKey?: string | null;
}

export const PEOPLE = { admin: '1001', developer: '1002', viewer: '1005', stranger: '1009' } as const;

/** A database, a key prefix and a simulated Telegram of one test file's own. */
export async function openHarness(redisUrl = inject('redisUrl')): Promise<Harness> {
  const database = await createDatabase();
  const simulator = await createSimulator({ key: START_KEY });
  const prefix = `gw${randomBytes(4).toString('hex')}:`;
  const people = createSimulatorClient(simulator.url);
  const quiet = createLog('test', 'silent');
  const pool = openPool(database.url, quiet, { name: 'test', max: 5, as: 'owner' });
  const redis = openRedis(redisUrl, quiet);
  const wiring = await openWiring({ databaseUrl: database.url, redisUrl, prefix, simulatorUrl: simulator.url });
  const publisher = createPublisher({ redis, prefix, partitions: 1 });
  const gateways = new Set<StartedGateway>();
  await grantUserRole(pool, { userKey: PEOPLE.admin, channel: 'telegram', name: 'Ada', role: 'admin' });
  await grantUserRole(pool, { userKey: PEOPLE.developer, channel: 'telegram', name: 'Ben', role: 'developer' });
  await grantUserRole(pool, { userKey: PEOPLE.viewer, channel: 'telegram', name: 'Eli', role: 'viewer' });
  let keys = 0;

  return {
    pool,
    redis,
    prefix,
    people,
    simulatorUrl: simulator.url,
    databaseUrl: database.url,
    redisUrl,
    wiring,
    startGateway: async (settings = {}) => {
      const channels = { ...variablesOf(GATEWAY_DEPARTURES), GATEWAY_NAME: `gateway-${gateways.size + 1}` };
      const config = loadConfig(wiring.env('gateway', { ...channels, ...settings }));
      const { log, lines } = createRecordedLog();
      const parts: Closable[] = [];
      const own = <T extends Closable>(part: T): T => {
        parts.push(part);
        return part;
      };
      const gateway = await createGateway(own, config, log).catch(async (error: unknown) => {
        await closeAll(parts, quiet);
        throw error;
      });
      let closed: Promise<unknown> | undefined;
      const started = { gateway, lines, close: async () => void (await (closed ??= closeAll(parts, quiet))) };
      gateways.add(started);
      return started;
    },
    say: async (chatKey, rows, announce = true) => {
      const stored = await putOutbox(
        pool,
        rows.map((row) => ({
          key: `test:${++keys}`,
          chatKey,
          userKey: row.userKey ?? null,
          threadId: null,
          turnId: null,
          traceId: `trc_test${keys}`,
          priority: row.priority ?? 5,
          slot: row.slot ?? null,
          body: {
            text: row.text,
            buttons: [...(row.buttons ?? [])],
            ...(row.onlyChanges ? { onlyChanges: true } : {}),
            ...(row.linkTo === undefined ? {} : { linkTo: row.linkTo }),
          },
        })),
      );
      if (announce) await publisher.publish(OUTBOUND_TOPIC, [{ kind: 'send', chatKey, traceId: 'trc_test' }]);
      return stored.map((row) => Number(row.id));
    },
    entries: async (topic) => {
      const found = await redis.xrange(getStreamKey(prefix, topic, 0, topic.branch ? 'telegram' : null), '-', '+');
      return found.map(([, fields]) => JSON.parse(fields[1] ?? '{}') as Record<string, unknown>);
    },
    rows: async <T>(text: string, values: readonly unknown[] = []) =>
      (await pool.query(text, [...values])).rows as readonly T[],
    meet: async (...ids) => {
      for (const from of ids) await people.post('/api/messages', { from, text: 'hi' });
      await until('the greetings are admitted', async () => (await people.get<number>('/api/pending')) === 0);
    },
    said: async (person, chat) => {
      const messages = await people.messages(person, chat ?? person);
      return messages.filter((one) => one.from.isBot && !one.deleted).map((one) => one.text);
    },
    calls: async (method) => (await people.get<Call[]>('/api/calls')).filter((call) => call.method === method),
    fault: async (fault) => void (await people.post('/api/faults', fault)),
    close: async () => {
      await Promise.all([...gateways].map((gateway) => gateway.close()));
      await simulator.close();
      const left = await redis.keys(`${prefix}*`).catch(() => []);
      if (left.length > 0) await redis.del(left).catch(() => 0);
      await closeRedis(redis);
      await pool.end();
      await database.drop();
    },
  };
}

export { INBOUND_TOPIC, OUTBOUND_TOPIC };

function createRecordedLog(): { log: Log; lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>);
  return { log: createLog('gateway', 'debug', { write }), lines };
}

/** Waits until `check` answers something; asks often, gives up after `timeoutMs`. */
export async function until<T>(
  what: string,
  check: () => Promise<T | null | undefined | false>,
  timeoutMs = 10_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const found = await check();
    if (found !== null && found !== undefined && found !== false) return found;
    if (Date.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}
