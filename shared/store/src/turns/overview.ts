import { IS_LANE_FREE } from '../conversation/lane.ts';
import type { Queryable } from '../pool.ts';
import { RUN_FAILED_SQL } from './runs.ts';
import { listRows, readRow } from '../sql.ts';

/** A lane that a worker holds at present. */
export interface RunningTurn {
  readonly userKey: string;
  readonly name: string | null;
  readonly worker: string;
  /** Arrival time of the turn's oldest message. */
  readonly since: Date | null;
  readonly waiting: number;
}

export interface ParkedChat {
  readonly chatKey: string;
  readonly since: Date;
  readonly reason: string;
}

/** Current work of everybody or of one person, for operators. Ages are in milliseconds. */
export interface WorkOverview {
  /** Number of people who wrote within the last hour. */
  readonly peopleActive: number;
  readonly turns: readonly RunningTurn[];
  /** Number of messages without an outcome, including those in running turns. */
  readonly messagesOpen: number;
  readonly oldestMessageMs: number | null;
  readonly outboxPending: number;
  readonly oldestReplyMs: number | null;
  readonly parkedChats: readonly ParkedChat[];
  /** Runs by job and status; ended runs only of the last 24 hours. */
  readonly jobs: readonly { readonly job: string; readonly status: string; readonly count: number }[];
  readonly deadLetters: number;
}

/** Maximum rows per list; longer lists do not help at a terminal. */
const LISTED = 50;

/** Reads the overview in four queries, each with a limit. `userKey`: null for everybody. */
export async function readWorkOverview(db: Queryable, userKey: string | null): Promise<WorkOverview> {
  const [figures, turns, parkedChats, jobs] = await Promise.all([
    readFigures(db, userKey),
    readTurns(db, userKey),
    readParkedChats(db, userKey),
    readJobs(db, userKey),
  ]);
  return { ...figures, turns, parkedChats, jobs };
}

type Figures = Omit<WorkOverview, 'turns' | 'parkedChats' | 'jobs'>;

function readFigures(db: Queryable, userKey: string | null): Promise<Figures> {
  return readRow<Figures>(db)`
    select
       (select count(distinct i.user_key) from inbox i
         where i.received_at > now() - interval '1 hour' and (${userKey}::text is null or i.user_key = ${userKey}))::int as "peopleActive",
       open.n as "messagesOpen", open.age as "oldestMessageMs", out.n as "outboxPending", out.age as "oldestReplyMs",
       (select count(*) from dead_letters d
         where d.resolved_at is null and (${userKey}::text is null or d.user_key = ${userKey}))::int as "deadLetters"
     from
       (select count(*)::int as n, (extract(epoch from now() - min(i.received_at)) * 1000)::float8 as age from inbox i
         where i.outcome is null and (${userKey}::text is null or i.user_key = ${userKey})) open,
       (select count(*)::int as n, (extract(epoch from now() - min(o.created_at)) * 1000)::float8 as age from outbox o
         where o.status in ('pending', 'sending') and (${userKey}::text is null or o.user_key = ${userKey})) out`;
}

function readTurns(db: Queryable, userKey: string | null): Promise<readonly RunningTurn[]> {
  return listRows<RunningTurn>(db)`
    select l.user_key as "userKey", u.name, l.worker, i.since, coalesce(i.n, 0)::int as waiting
       from lanes l
       left join users u on u.user_key = l.user_key
       left join lateral (select min(x.received_at) as since, count(*) as n from inbox x
                           where x.user_key = l.user_key and x.outcome is null) i on true
      where not ${IS_LANE_FREE} and (${userKey}::text is null or l.user_key = ${userKey})
      order by i.since nulls last limit ${LISTED}`;
}

function readParkedChats(db: Queryable, userKey: string | null): Promise<readonly ParkedChat[]> {
  return listRows<ParkedChat>(db)`
    select c.chat_key as "chatKey", c.parked_at as since, coalesce(c.parked_reason, '') as reason from chats c
      where c.parked_at is not null
        and (${userKey}::text is null or c.chat_key in (select t.chat_key from threads t where t.user_key = ${userKey}))
      order by c.parked_at desc limit ${LISTED}`;
}

function readJobs(db: Queryable, userKey: string | null): Promise<WorkOverview['jobs']> {
  return listRows<WorkOverview['jobs'][number]>(db)`select job, outcome as status, count(*)::int as count
       from (select job, user_key, status, finished_at, case when ${RUN_FAILED_SQL} then 'failed' else status end as outcome from runs) r
      where (${userKey}::text is null or user_key = ${userKey})
        and (status in ('queued', 'running') or finished_at > now() - interval '24 hours')
      group by job, outcome order by job, outcome limit ${LISTED}`;
}
