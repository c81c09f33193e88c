import type { TurnUsage } from '@signalbox/store/turns/lanes';
import type { Queryable } from '@signalbox/store/pool';
import { findRow, listRows } from '@signalbox/store/sql';

/** A recorded conversation: messages, actions and replies. */
export interface ThreadHistory {
  readonly threadId: string;
  readonly userKey: string;
  readonly chatKey: string;
  readonly agent: string;
  readonly status: string;
  readonly awaiting: boolean;
  readonly title: string | null;
  readonly summary: string | null;
  readonly createdAt: Date;
  readonly lastActiveAt: Date;
  readonly turns: readonly TurnHistory[];
  readonly actions: readonly ActionHistory[];
  readonly replies: readonly ReplyHistory[];
}

export interface TurnHistory {
  readonly turnId: string;
  readonly outcome: string;
  readonly model: string | null;
  readonly passes: number;
  readonly toolCalls: number;
  readonly usage: TurnUsage | null;
  readonly durationMs: number;
  readonly error: string | null;
  readonly startedAt: Date;
  readonly messages: readonly string[];
}

export interface ActionHistory {
  readonly actionId: string;
  readonly turnId: string;
  readonly tool: string;
  readonly arguments: unknown;
  readonly status: string;
  readonly errorCode: string | null;
  readonly startedAt: Date;
}

export interface ReplyHistory {
  readonly outboxId: string;
  readonly turnId: string | null;
  readonly status: string;
  readonly text: string;
  readonly error: string | null;
  readonly createdAt: Date;
}

/** Reads a thread with its newest `limit` turns, actions and replies, oldest first; null when it does not exist. */
export async function readThreadHistory(db: Queryable, threadId: string, limit: number): Promise<ThreadHistory | null> {
  const thread = await findRow<Omit<ThreadHistory, 'turns' | 'actions' | 'replies'>>(db)`
    select thread_id as "threadId", user_key as "userKey", chat_key as "chatKey", agent, status, awaiting, title, summary,
            created_at as "createdAt", last_active_at as "lastActiveAt"
       from threads where thread_id = ${threadId}`;
  if (!thread) return null;
  const [turns, actions, replies] = await Promise.all([
    readTurns(db, threadId, limit),
    readActions(db, threadId, limit),
    readReplies(db, threadId, limit),
  ]);
  return { ...thread, turns: turns.toReversed(), actions: actions.toReversed(), replies: replies.toReversed() };
}

function readTurns(db: Queryable, threadId: string, limit: number): Promise<readonly TurnHistory[]> {
  return listRows<TurnHistory>(db)`
    select t.turn_id as "turnId", t.outcome, t.model, t.passes, t.tool_calls as "toolCalls", t.usage, t.error, t.started_at as "startedAt",
            round(extract(epoch from t.ended_at - t.started_at) * 1000)::int as "durationMs",
            array(select coalesce(i.envelope ->> 'text', i.envelope ->> 'say', i.kind) from inbox i
                   where i.user_key = t.user_key and i.turn_id = t.turn_id order by i.id) as messages
       from turns t where t.thread_id = ${threadId} order by t.started_at desc limit ${limit}`;
}

function readActions(db: Queryable, threadId: string, limit: number): Promise<readonly ActionHistory[]> {
  return listRows<ActionHistory>(db)`
    select action_id as "actionId", turn_id as "turnId", tool, arguments, status, error_code as "errorCode",
            coalesce(started_at, proposed_at) as "startedAt"
       from actions where thread_id = ${threadId} order by coalesce(started_at, proposed_at) desc, action_id desc limit ${limit}`;
}

function readReplies(db: Queryable, threadId: string, limit: number): Promise<readonly ReplyHistory[]> {
  return listRows<ReplyHistory>(db)`
    select o.id as "outboxId", o.turn_id as "turnId", o.status, o.body ->> 'text' as text, o.error, o.created_at as "createdAt"
       from outbox o join threads t on t.thread_id = ${threadId}
      where o.user_key = t.user_key and o.thread_id = ${threadId} order by o.id desc limit ${limit}`;
}
