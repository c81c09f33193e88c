import { randomBytes } from 'node:crypto';
import { say } from '@signalbox/messages/say';
import { createSimulator } from '@signalbox/telegram-simulator/server';
import { openPool, type Pool } from '@signalbox/store/pool';
import { createLog } from '@signalbox/platform/log';
import { closeRedis, openRedis, type Redis } from '@signalbox/platform/redis';
import { createDatabase } from './database.ts';
import { startModelServer, type AskedMessage, type ModelServer } from './model-server.ts';
import { openPerson, type Person } from './person.ts';
import { startOwnRedis, type OwnRedis } from './redis.ts';
import { startService, type ServiceProcess } from './service-process.ts';
import { eventually } from './until.ts';
import { openWiring, START_KEY } from './wiring.ts';

/** What the model thinks about until nobody waits for it any more. */
export const NEVER = 'never';

/** Telegram takes 28 messages a second. */
const MAX_SEND_MS = 40;

/**
 * A field for fault tests: services in processes that can be killed; simulated Telegram, model server and Postgres that are not.
 * The model echoes every message that it has not answered yet, so that each message can be found again in exactly one reply.
 */
export interface Field {
  readonly pool: Pool;
  readonly redis: OwnRedis;
  readonly model: ModelServer;
  readonly prefix: string;
  start(service: 'gateway' | 'worker', name: string, env?: Readonly<Record<string, string>>): Promise<ServiceProcess>;
  people(count: number): Promise<Person[]>;
  /** A connection to the field's Redis, closed with the field. */
  redisClient(): Redis;
  /** Waits until nothing is under way, then asserts the promises of the product for these people. Returns what is wrong. */
  check(people: readonly Person[], texts: readonly string[]): Promise<string[]>;
  close(): Promise<void>;
}

export async function openField(options: {
  readonly thinkMs: number;
  /** The model answers nobody before. */
  readonly silentUntil?: Promise<unknown>;
}): Promise<Field> {
  const log = createLog('test', 'silent');
  const database = await createDatabase();
  const redis = await startOwnRedis();
  const simulator = await createSimulator({ key: START_KEY });
  const model = await startModelServer(async (messages, tools) => {
    const askedAt = performance.now();
    await options.silentUntil;
    return echo(messages, tools, Math.max(1, options.thinkMs - (performance.now() - askedAt)));
  });
  const pool = openPool(database.url, log, { name: 'test', max: 6, as: 'owner' });
  const prefix = `f${randomBytes(3).toString('hex')}:`;
  const wiring = await openWiring({
    databaseUrl: database.url,
    redisUrl: redis.url,
    prefix,
    simulatorUrl: simulator.url,
    env: { GATEWAY_CHANNELS: 'telegram', MODEL: 'openai', OPENAI_API_KEY: 'test', OPENAI_BASE_URL: model.url },
  });
  const services: ServiceProcess[] = [];
  const clients: Redis[] = [];
  return {
    pool,
    redis,
    model,
    prefix,
    start: async (service, name, env = {}) => {
      const own = { WORKER_NAME: name, GATEWAY_NAME: name, ...env };
      const started = await startService(service, name, { ...wiring.env(service, own), ...env });
      services.push(started);
      return started;
    },
    people: (count) =>
      Promise.all(
        Array.from({ length: count }, (_, i) =>
          openPerson({ pool, simulatorUrl: simulator.url, id: 50_000 + i, role: 'developer', isNew: true }),
        ),
      ),
    redisClient: () => {
      const client = openRedis(redis.url, log);
      clients.push(client);
      return client;
    },
    check: async (people, texts) => {
      const total = people.length * texts.length;
      const open = async (): Promise<{ inbox: number; open: number; unsent: number }> => {
        const { rows } = await pool.query<{ inbox: number; open: number; unsent: number }>(
          `select (select count(*)::int from inbox) as inbox, (select count(*)::int from inbox where outcome is null) as open,
                  (select count(*)::int from outbox where status in ('pending', 'sending')) as unsent`,
        );
        return rows[0] ?? { inbox: 0, open: 0, unsent: 0 };
      };
      await eventually(
        open,
        (state) => state.inbox >= total && state.open === 0 && state.unsent === 0,
        90_000 + MAX_SEND_MS * total,
      );
      return [...(await wrongRows(pool, total)), ...(await wrongReplies(people, texts))];
    },
    close: async () => {
      await Promise.all(services.map((service) => service.kill()));
      await Promise.all(clients.map(closeRedis));
      await model.close();
      await simulator.close();
      await redis.stop();
      await pool.end();
      await database.drop();
    },
  };
}

/** Answers what came after the last answer, each text once. */
function echo(messages: readonly AskedMessage[], tools: readonly string[], delayMs: number) {
  if (tools.includes('classify_intent')) {
    return {
      toolCalls: [{ name: 'classify_intent', args: { task_summary: 'echo', capabilities: [], project: null } }],
    };
  }
  const answered = messages.findLastIndex((message) => message.role === 'assistant');
  const fresh = messages.slice(answered + 1).filter((message) => message.role === 'user');
  if (fresh.some(({ content }) => content === NEVER)) return { content: '', delayMs: 3_600_000 };
  return { content: fresh.map((message) => `<${message.content}>`).join(' '), delayMs };
}

async function wrongRows(pool: Pool, total: number): Promise<string[]> {
  const wrong: string[] = [];
  const { rows: inbox } = await pool.query<{ outcome: string; count: number }>(
    `select outcome, count(*)::int from inbox where envelope ->> 'text' is distinct from '/stop' group by 1`,
  );
  const handled = inbox
    .filter((row) => ['answered', 'merged'].includes(row.outcome))
    .reduce((sum, row) => sum + row.count, 0);
  if (handled !== total) wrong.push(`of ${total} messages ${handled} were answered: ${JSON.stringify(inbox)}`);
  const { rows: gaps } = await pool.query(
    `select user_key from threads group by user_key having max(n) <> count(*) or count(distinct n) <> count(*)`,
  );
  if (gaps.length > 0) wrong.push(`thread numbers are not contiguous: ${JSON.stringify(gaps)}`);
  const { rows: letters } = await pool.query('select source, reason from dead_letters');
  if (letters.length > 0) wrong.push(`dead letters: ${JSON.stringify(letters)}`);
  const { rows: held } = await pool.query(`select user_key from lanes where worker is not null`);
  if (held.length > 0) wrong.push(`lanes still held: ${JSON.stringify(held)}`);
  return wrong;
}

/** Every text exactly once and in order, over all that the person heard. */
async function wrongReplies(people: readonly Person[], texts: readonly string[]): Promise<string[]> {
  const expected = texts.map((text) => `<${text}>`).join(' ');
  const heard = await Promise.all(
    people.map(async (person) => ({
      id: person.id,
      all: withoutRepeats((await person.heard()).map(({ text }) => text)).join(' '),
    })),
  );
  return heard.filter(({ all }) => all !== expected).map(({ id, all }) => `${id} heard ${all}`);
}

/**
 * A gateway that dies while it sends cannot know whether the message arrived. It sends it again and says so in the first line:
 * such a repeat is no second answer, and it is the answer when the first one did not arrive.
 */
function withoutRepeats(texts: readonly string[]): readonly string[] {
  const heard: string[] = [];
  for (const text of texts) {
    const mark = say('gateway.repeated');
    const repeat = text.startsWith(mark);
    const words = repeat ? text.slice(mark.length).trim() : text;
    if (!repeat || !heard.includes(words)) heard.push(words);
  }
  return heard;
}
