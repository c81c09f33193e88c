import { randomBytes } from 'node:crypto';
import type { JobPool } from '@signalbox/contracts/operations/jobs';
import { loadConfig } from '@signalbox/jobs/config';
import { createJobService, type JobService } from '@signalbox/jobs/job-service';
import { closeAll, type Closable, type RegisterClosable } from '@signalbox/platform/lifecycle';
import { createLog, type Log } from '@signalbox/platform/log';
import { DATABASE_SERVICES, type ServiceWithLogin } from '@signalbox/store/migrations/service-rights';
import { openPool, type Pool } from '@signalbox/store/pool';
import { createDatabase } from '../../support/database.ts';
import { serviceUrl } from '../../support/service-login.ts';
import { openWiring } from '../../support/wiring.ts';

/** A database in which each service has its own login, and what people were told in it. */
export interface NoticeBench {
  readonly log: Log;
  readonly databaseUrl: string;
  /** For what a test sets up and sees, and nothing else. */
  readonly owner: Pool;
  readonly pools: Readonly<Record<ServiceWithLogin, Pool>>;
  readonly deploy: Pool;
  readonly maintenance: Pool;
  readonly agents: Pool;
  /** Somebody with a role who wrote in these chats, in this order. */
  person(
    userKey: string,
    role: string,
    chats: readonly string[],
    more?: { kind?: string; person?: string; isProgram?: boolean; language?: string },
  ): Promise<void>;
  /** A chat takes our messages no more, or again. */
  park(chatKey: string): Promise<void>;
  unpark(chatKey: string): Promise<void>;
  /** Lets ten minutes pass over every incident. */
  age(): Promise<void>;
  /** News of incidents, in order. */
  news(): Promise<readonly { who: string; chat: string; say: string }[]>;
  /** What was put into chats. */
  said(): Promise<readonly (readonly [chat: string, text: string])[]>;
  /** The process of one pool, as it is started. */
  startPool(pool: JobPool): Promise<JobService & Closable>;
  empty(): Promise<void>;
  close(): Promise<void>;
}

export async function openNoticeBench(): Promise<NoticeBench> {
  const database = await createDatabase();
  const log = createLog('test', 'silent');
  const owner = openPool(database.url, log, { name: 'test', max: 4, as: 'owner' });
  const opened = DATABASE_SERVICES.map(
    (as) => [as, openPool(serviceUrl(database.url, as), log, { name: 'test', max: 4, as })] as const,
  );
  const pools = Object.fromEntries(opened) as NoticeBench['pools']; // of every service of the list
  let updates = 0;
  return {
    log,
    databaseUrl: database.url,
    owner,
    pools,
    deploy: pools.deploy,
    maintenance: pools.maintenance,
    agents: pools.agents,
    person: async (userKey, role, chats, { kind = 'message', person = userKey, isProgram = false, language } = {}) => {
      await owner.query(
        `insert into users (user_key, channel, name, role, person, is_program, language) values ($1, 'x', $1, $2, $3, $4, $5)
           on conflict (user_key) do nothing`,
        [userKey, role, person, isProgram, language ?? null],
      );
      for (const chatKey of chats)
        await owner.query(
          `insert into inbox (channel, bot, update_id, user_key, chat_key, kind, envelope, trace_id, outcome)
             values ('telegram', '100', $1, $2, $3, $4, '{}', 'trc', 'answered')`,
          [String((updates += 1)), userKey, chatKey, kind],
        );
    },
    park: async (chatKey) => void (await owner.query('select chat_park($1, $2)', [chatKey, 'blocked'])),
    unpark: async (chatKey) => void (await owner.query('select chat_unpark($1)', [chatKey])),
    age: async () =>
      void (await owner.query(`update incidents set opened_at = opened_at - interval '10 minutes',
        closed_at = closed_at - interval '10 minutes', waits_since = waits_since - interval '10 minutes'`)),
    news: async () => {
      const { rows } = await owner.query<{ who: string; chat: string; say: string }>(
        `select user_key as who, chat_key as chat, envelope ->> 'say' as say from inbox where kind = 'incident' order by id`,
      );
      return rows;
    },
    said: async () => {
      const { rows } = await owner.query<{ chat: string; text: string }>(
        `select chat_key as chat, body ->> 'text' as text from outbox order by id`,
      );
      return rows.map(({ chat, text }) => [chat, text] as const);
    },
    startPool: async (pool) => {
      const prefix = `n${randomBytes(4).toString('hex')}:`;
      const wiring = await openWiring({ databaseUrl: database.url, prefix });
      const parts: Closable[] = [wiring];
      const own: RegisterClosable = (part) => {
        parts.push(part);
        return part;
      };
      const service = await createJobService(own, loadConfig(wiring.env(pool)), log);
      return { ...service, close: async () => void (await closeAll(parts, log)) };
    },
    empty: async () =>
      void (await owner.query('truncate users, inbox, outbox, chats, lanes, incidents, servers, actions cascade')),
    close: async () => {
      for (const pool of Object.values(pools)) await pool.end();
      await owner.end();
      await database.drop();
    },
  };
}
