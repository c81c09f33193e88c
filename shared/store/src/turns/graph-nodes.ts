import { AppError } from '@signalbox/contracts/errors';
import { newTraceId } from '@signalbox/contracts/ids';
import { wakeLane } from '../conversation/wake-lane.ts';
import { withTransaction, type Pool, type Queryable } from '../pool.ts';
import { noteEffect } from '../effects.ts';
import { IS_LANE_FREE } from '../conversation/lane.ts';
import { findRow, hasRow, listRows, listValues, sql, type Sql } from '../sql.ts';

/** A conversation whose graph is inspected. */
export interface GraphThread {
  readonly threadId: string;
  readonly userKey: string;
  readonly userName: string;
  readonly agent: string;
  readonly status: string;
  readonly title: string | null;
  readonly lastActiveAt: Date;
}

/** A recorded pass. `record` is an ExecutionTurn of the release that wrote it. */
export interface RecordedPass {
  readonly turnId: string;
  readonly outcome: string;
  readonly error: string | null;
  readonly startedAt: Date;
  readonly record: unknown;
}

/** Result of clearing a project's state: conversations that were closed, and conversations that are in use. */
export interface ClearStateResult {
  readonly closed: readonly GraphThread[];
  readonly busy: readonly GraphThread[];
}

/** Maximum number of conversations closed per call. */
const CLEARED = 200;

const COLUMNS = sql`t.thread_id as "threadId", t.user_key as "userKey",
  coalesce((select u.name from users u where u.user_key = t.user_key), t.user_key) as "userName",
  t.agent, t.status, t.title, t.last_active_at as "lastActiveAt"`;

/** Finds a conversation, or null. */
export function findGraphThread(db: Queryable, threadId: string): Promise<GraphThread | null> {
  return findRow<GraphThread>(db)`select ${COLUMNS} from threads t where t.thread_id = ${threadId}`;
}

/** Lists the recorded passes of a conversation, newest first. */
export function listRecordedPasses(db: Queryable, threadId: string, limit: number): Promise<readonly RecordedPass[]> {
  return listRows<RecordedPass>(db)`
    select e.turn_id as "turnId", coalesce(t.outcome, 'unknown') as outcome, t.error,
      coalesce(t.started_at, e.recorded_at) as "startedAt", e.record
       from execution_turns e left join turns t on t.turn_id = e.turn_id
      where e.thread_id = ${threadId} order by e.recorded_at desc, e.turn_id desc, e.pass desc limit ${limit}`;
}

/** Requests that a graph node runs again in its person's lane. Idempotent per action. Throws NOT_FOUND, CONVERSATION_OVER. */
export async function requestNodeRun(
  pool: Pool,
  request: {
    readonly threadId: string;
    readonly node: string;
    readonly actionId: string;
    readonly about?: string;
    readonly say: string;
  },
): Promise<{ readonly userKey: string }> {
  return withTransaction(pool, async (db) => {
    const { threadId, node, actionId, about, say } = request;
    const thread = await findRow<{ user_key: string; chat_key: string; status: string }>(db)`
      select user_key, chat_key, status from threads where thread_id = ${threadId} for share`;
    if (!thread) throw new AppError('NOT_FOUND', { kind: 'conversation', name: threadId, known: 'those of /status' });
    if (thread.status !== 'open') throw new AppError('CONVERSATION_OVER', { thread: threadId, status: thread.status });
    await wakeLane(db, {
      kind: 'node',
      channel: 'system',
      bot: 'nodes',
      updateId: actionId,
      userKey: thread.user_key,
      chatKey: thread.chat_key,
      traceId: newTraceId(),
      at: new Date().toISOString(),
      threadId,
      node,
      actionId,
      ...(about === undefined ? {} : { about }),
      say,
    });
    return { userKey: thread.user_key };
  });
}

export function isNodeRunRequested(db: Queryable, actionId: string): Promise<boolean> {
  return hasRow(db)`select 1 from inbox where channel = 'system' and bot = 'nodes'
      and update_id = ${actionId}`;
}

/**
 * Closes open conversations whose state or task names the project, so that the next message starts a new conversation. Reports lanes in
 * use without closing them; leaves out `except`. Keeps records. Idempotent.
 */
export async function clearProjectState(
  pool: Pool,
  project: string,
  except: string,
  actionId: string,
): Promise<ClearStateResult> {
  return withTransaction(pool, async (db) => {
    const { rows: found } = await db.query<GraphThread>(about(project, except));
    const threadIds = found.map(({ threadId }) => threadId);
    const closed = await listValues<string>(db)`with free as materialized (
         select l.user_key from lanes l
          where l.user_key in (select user_key from threads where thread_id = any (${threadIds}))
            and ${IS_LANE_FREE}
            for update skip locked)
       update threads t set status = 'closed', awaiting = false, ended_at = clock_timestamp()
         from free where t.thread_id = any (${threadIds}) and t.user_key = free.user_key
           and t.status = 'open' returning t.thread_id`;
    const ids = new Set(closed);
    const cleared = {
      closed: found.filter(({ threadId }) => ids.has(threadId)),
      busy: found.filter(({ threadId }) => !ids.has(threadId)),
    };
    await noteEffect(db, actionId, cleared);
    return cleared;
  });
}

/** SQL that lists the open conversations, without one, whose newest checkpoint names the project. */
function about(project: string, except: string): Sql {
  const json = JSON.stringify(project);
  // Matches the project name as a whole word in any case: names consist of letters, digits and hyphens.
  const word = `(^|[^a-z0-9-])${project.replace(/[^a-z0-9-]/g, '.')}($|[^a-z0-9-])`;
  return sql`
select ${COLUMNS} from threads t
  join lateral (select c.checkpoint from langgraph.checkpoints c
                 where c.thread_id = t.thread_id and c.checkpoint_ns = '' order by c.number desc limit 1) c on true
 where t.status = 'open' and t.thread_id <> ${except}
   and (c.checkpoint #>> '{values,currentProject}' = ${json} or c.checkpoint #>> '{values,taskSummary}' ~* ${word}
        or exists (select 1 from langgraph.checkpoint_blobs b
                where b.thread_id = t.thread_id and b.checkpoint_ns = '' and b.blob is not null
                  and b.version = c.checkpoint -> 'channel_versions' ->> b.channel
                  and (b.channel = 'currentProject' and convert_from(b.blob, 'UTF8') = ${json}
                       or b.channel = 'taskSummary' and convert_from(b.blob, 'UTF8') ~* ${word})))
 order by t.last_active_at desc limit ${CLEARED}`;
}
