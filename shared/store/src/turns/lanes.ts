import type { InboundEnvelope, InboxOutcome, OutboundEnvelope } from '@signalbox/contracts/conversation/envelope';
import type { Role } from '@signalbox/contracts/governance/roles';
import { buildCheckpointCall, type CheckpointRow } from '../conversation/checkpoints.ts';
import { buildTurnRecording, type TurnRecording } from '../governance/execution-turns.ts';
import type { Lane } from '../conversation/lane.ts';
import { makeStorable } from '@signalbox/contracts/storable';
import { redactRow } from '../conversation/outbox.ts';
import type { Queryable } from '../pool.ts';
import { isReadable } from '../unreadable-messages.ts';
import { findRow, findValue, listRows, listValues, sql } from '../sql.ts';

export interface InboxMessage {
  readonly id: number;
  readonly envelope: InboundEnvelope;
}

export interface ClaimedLane extends Lane {
  /**
   * Number of claims without progress, including this one. Failures of Postgres or Redis, drains, and deaths of a process that held other
   * lanes do not count.
   */
  readonly attempts: number;
  /** True when the last two holders died: a process may hold only one such lane. */
  readonly suspect: boolean;
  /** True when an earlier run of this turn was interrupted, so that its checkpoint and effects may exist. */
  readonly resumed: boolean;
  /** Inbox id of the newest /stop; messages before it get no answer. */
  readonly stopBefore: number;
  /** Open messages in order of arrival, up to the first unreadable one. */
  readonly messages: readonly InboxMessage[];
  readonly person: { readonly name: string; readonly role: Role } | null;
  /** Language of the person as channels name it; null when unknown. */
  readonly language: string | null;
  /** Agent of the thread or, without a thread, the agent chosen in the chat. */
  readonly agent: string;
  /** Current thread in the chat of the first message; null when the message needs none and there is none. */
  readonly threadId: string | null;
  readonly threadNew: boolean;
  /** A thread that has just expired, which the person is told once. */
  readonly expired: { readonly threadId: string; readonly title: string | null } | null;
  /** Agents whose conversations in this chat were ended, because no worker offers the agents any more. */
  readonly orphaned?: readonly string[];
  /** Open approval cards in this chat, oldest first, at most three. */
  readonly waiting: readonly PendingCard[];
  /** Version of the names of projects and servers; it grows with each change of a name. */
  readonly namesVersion: string;
  /** Clock of the database, used for all times of a turn, because the clocks of machines differ. */
  readonly now: () => Date;
}

/** An approval request that waits, with the message that has its buttons. */
export interface PendingCard {
  readonly approvalId: string;
  readonly what: string;
  readonly messageId: string | null;
}

export interface ClaimOptions {
  readonly worker: string;
  /** Unique id of this process; by default, the worker's name. */
  readonly holder?: string;
  readonly leaseMs: number;
  readonly maxMessages: number;
  readonly idleMs: number;
  readonly agent: string;
  /** Claims nothing when this message has been settled: others wait longer then. Null takes whatever waits. */
  readonly onlyFor?: string | null;
}

/**
 * Claims a person's lane in one round trip. Null when the lane is busy, backing off or empty, or when it may have killed a process and
 * this process already tries another such lane.
 */
export async function claimLane(db: Queryable, userKey: string, options: ClaimOptions): Promise<ClaimedLane | null> {
  const { worker, leaseMs, maxMessages, idleMs, agent, holder = worker, onlyFor = null } = options;
  // When `lane_isolate` refuses, or `onlyFor` is settled, `lane_begin` gets a null person and claims nothing.
  const row = await findRow<Omit<ClaimedLane, 'userKey' | 'now'> & { at: Date }>(db, 'lane_begin')`
    select b.epoch, b.attempts, i.is_suspect as suspect, b.begun > 1 as resumed, coalesce(b.stop_before, 0)::float8 as "stopBefore", b.messages, b.person,
           b.thread_id as "threadId", b.thread_new as "threadNew", b.expired, b.agent, coalesce(b.waiting, '[]') as waiting,
           user_language(${userKey}) as language, (select version::text from names_version) as "namesVersion", clock_timestamp() as at
      from lane_isolate(${userKey}, ${holder}) i,
           lateral lane_begin(case when i.ok and (${onlyFor}::bigint is null or inbox_is_open(${onlyFor}::bigint)) then ${userKey}::text end,
             ${worker}, ${leaseMs}, ${maxMessages}, ${idleMs}, ${agent}) b`;
  if (!row) return null;
  const { at, ...claimed } = row;
  return { ...claimed, userKey, messages: leadingReadable(row.messages), now: clockFrom(at) };
}

/** Returns a clock that continues from `at`; it lags by the latency of the answer that contained `at`. */
function clockFrom(at: Date): () => Date {
  const mark = performance.now();
  return () => new Date(at.getTime() + performance.now() - mark);
}

function leadingReadable(messages: readonly InboxMessage[]): readonly InboxMessage[] {
  const end = messages.findIndex(({ envelope }) => !isReadable(envelope));
  return end === -1 ? messages : messages.slice(0, end);
}

export type TurnOutcome =
  'answered' | 'waiting' | 'finished' | 'limit' | 'stopped' | 'failed' | 'notice' | 'dead-lettered';

export interface TurnRecord {
  readonly turnId: string;
  readonly threadId: string | null;
  readonly worker: string;
  readonly traceId: string;
  /** Model that gave the last answer; null when no model was asked. */
  readonly model: string | null;
  readonly outcome: TurnOutcome;
  readonly passes: number;
  readonly toolCalls: number;
  readonly usage: TurnUsage | null;
  readonly error: string | null;
  readonly startedAt: string;
}

/** Token usage, as reported by the model providers. */
interface Usage {
  /** Number of input tokens, including cached ones. */
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  /** Cost in USD; null when the cost of some part is unknown. */
  readonly costUsd: number | null;
}

/** Token usage of one turn, in total and by model. */
export interface TurnUsage extends Usage {
  readonly models: readonly (Usage & { readonly model: string; readonly calls: number })[];
}

export interface ThreadChange {
  readonly threadId: string;
  readonly status: 'open' | 'finished' | 'closed';
  readonly awaiting: boolean;
  readonly title: string | null;
  readonly summary: string | null;
}

export interface TurnEnd {
  readonly turn: TurnRecord | null;
  readonly outcomes: readonly { readonly id: number; readonly outcome: InboxOutcome; readonly reason: string | null }[];
  readonly replies: readonly OutboundEnvelope[];
  readonly thread: ThreadChange | null;
}

/** Columns of a turn that ends without an agent. */
const NOT_RECORDED = { checkpoint: null, recording: null };

/**
 * Ends a turn: stores checkpoint, records, replies, outcomes and thread, and releases the lane, in one transaction and round trip. `ok`
 * is false, with nothing written, when the lane was lost. `more`: open messages remain, so the caller wakes the lane.
 */
export async function finishLaneTurn(
  db: Queryable,
  lane: Lane,
  end: TurnEnd,
  {
    checkpoint,
    recording,
  }: { readonly checkpoint: CheckpointRow | null; readonly recording: TurnRecording | null } = NOT_RECORDED,
): Promise<{ readonly ok: boolean; readonly more: boolean }> {
  const { turn, outcomes, replies, thread } = end;
  const name = checkpoint ? 'turn_finish' : 'lane_finish';
  // When the checkpoint is not stored, `lane_finish` gets a null person and writes nothing.
  const row = await findRow<{ ok: boolean; more: boolean }>(db, name)`
    select f.ok, f.more, ${buildTurnRecording(lane, recording)}
      from (select ${checkpoint ? buildCheckpointCall(lane, checkpoint) : sql`true`} as stored) c,
           lateral lane_finish(case when c.stored then ${lane.userKey}::text end, ${lane.epoch},
             ${turn && JSON.stringify(makeStorable(turn))}::jsonb, ${JSON.stringify(outcomes)}::jsonb,
             ${JSON.stringify(replies.map(redactRow))}::jsonb, ${thread && JSON.stringify(makeStorable(thread))}::jsonb) f`;
  return row ?? { ok: false, more: false };
}

/**
 * Releases a lane without ending the turn. A lane that another process holds by now is not released, but an attempt counted for this
 * process's silence is refunded. Idempotent.
 */
export async function yieldLane(
  db: Queryable,
  lane: Lane,
  options: { readonly holder: string; readonly countAttempt: boolean; readonly backoffMs: number },
): Promise<void> {
  await db.query(sql`select case when lane_yield(${lane.userKey}, ${lane.epoch}, ${options.countAttempt},
      ${options.backoffMs}) then true else lane_acquit(${lane.userKey}, ${options.holder}) end`);
}

/** Finds people with open messages who were not woken for `quietMs` (a crash, a lost Redis), oldest first, and marks them as woken. */
export function sweepLanes(db: Queryable, quietMs: number, maxLanes: number): Promise<readonly string[]> {
  return listValues<string>(db)`select lane_sweep(${quietMs}, ${maxLanes})`;
}

/** A person whose lane may be claimed, and the inbox id of their oldest open message. */
export interface OldestLane {
  readonly userKey: string;
  readonly messageId: string;
}

/** Lists people with open messages whose lane may be claimed, by their oldest open message. `except`: lanes that are being claimed. */
export function listOldestLanes(
  db: Queryable,
  maxLanes: number,
  except: readonly string[],
): Promise<readonly OldestLane[]> {
  return listRows<OldestLane>(db, 'lane_oldest')`
    select user_key as "userKey", oldest as "messageId" from lane_oldest(${maxLanes + except.length})
     where user_key <> all (${[...except]}) limit ${maxLanes}`;
}

/** Reads the inbox id of the person's newest /stop; 0 when there is none. */
export function readLastStopId(db: Queryable, userKey: string): Promise<number> {
  return findValue(db, 0)`select stop_before::float8 from lanes where user_key = ${userKey}`;
}
