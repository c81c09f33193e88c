import type { InboundEnvelope, InboxOutcome, OutboundEnvelope } from '@signalbox/contracts/conversation/envelope';
import type { Role } from '@signalbox/contracts/governance/roles';
import { checkpointPut, type CheckpointRow } from './checkpoints.ts';
import { callTurnRecord, type TurnRecording } from '../governance/execution-turns.ts';
import type { Lane } from './lane.ts';
import { makeStorable } from '@signalbox/contracts/storable';
import { withoutSecrets } from './outbox.ts';
import type { Queryable } from '../pool.ts';
import { isReadable } from '../unreadable-messages.ts';
import { findRow, listRows, named, sql } from '../sql.ts';

export interface InboxMessage {
  readonly id: number;
  readonly envelope: InboundEnvelope;
}

export interface ClaimedLane extends Lane {
  /**
   * How often this lane was begun without progress, this time included. What Postgres, Redis or a drain ended does not count, nor does
   * the death of a process that held others besides.
   */
  readonly attempts: number;
  /** The process that held it before ended in silence: it is the only such lane of this process. */
  readonly suspect: boolean;
  /** An earlier run of this turn was cut off: its checkpoint and effects may be there. */
  readonly resumed: boolean;
  /** Inbox id of the newest /stop: messages before it are not to be answered. */
  readonly stopBefore: number;
  /** Open messages in order of arrival, up to the first that cannot be read; none when that is the first of all. */
  readonly messages: readonly InboxMessage[];
  readonly person: { readonly name: string; readonly role: Role } | null;
  /** What that person reads, as channels name it; null when nobody knows. */
  readonly language: string | null;
  /** The current thread of the first message's chat; null when that message needs none and there is none. */
  readonly threadId: string | null;
  readonly threadNew: boolean;
  /** The thread that was just found expired, to be announced once. */
  readonly expired: { readonly threadId: string; readonly title: string | null } | null;
  /** Requests for approval whose card stands open in this chat, the oldest first, at most three. */
  readonly waiting: readonly WaitingCard[];
  /** Version of the names of projects and servers, a whole number that grows with each change of one. */
  readonly namesVersion: string;
  /** The time by the database's clock, which all times of a turn come from: those of this machine may be off. */
  readonly now: () => Date;
}

/** A request that waits, and the message that carries its buttons. */
export interface WaitingCard {
  readonly approvalId: string;
  readonly what: string;
  readonly messageId: string | null;
}

export interface BeginOptions {
  readonly worker: string;
  /** Names this process and no later one; the worker's name unless said otherwise. */
  readonly holder?: string;
  readonly leaseMs: number;
  readonly maxMessages: number;
  readonly idleMs: number;
  readonly agent: string;
}

/**
 * Takes a person's lane. Null when it is busy, backing off, has nothing to do, or is suspected of having ended a process while this
 * one tries another such lane. One round trip.
 */
export async function claimLane(db: Queryable, userKey: string, options: BeginOptions): Promise<ClaimedLane | null> {
  const { rows } = await db.query<BeginRow>({
    name: 'lane_begin',
    text: LANE_BEGIN,
    values: [
      userKey,
      options.worker,
      options.leaseMs,
      options.maxMessages,
      options.idleMs,
      options.agent,
      options.holder ?? options.worker,
    ],
  });
  const row = rows[0];
  if (!row) return null;
  return {
    userKey,
    epoch: row.epoch,
    attempts: row.attempts,
    suspect: row.is_suspect,
    resumed: row.begun > 1,
    stopBefore: Number(row.stop_before),
    messages: leadingReadable(row.messages),
    person: row.person,
    language: row.language,
    threadId: row.thread_id,
    threadNew: row.thread_new,
    expired: row.expired,
    waiting: row.waiting ?? [],
    namesVersion: row.names_version,
    now: clockFrom(row.at),
  };
}

/** A clock that goes on from a moment. It is behind by as long as the answer that brought the moment was on its way. */
function clockFrom(at: Date): () => Date {
  const mark = performance.now();
  return () => new Date(at.getTime() + performance.now() - mark);
}

function leadingReadable(messages: readonly InboxMessage[]): readonly InboxMessage[] {
  const end = messages.findIndex(({ envelope }) => !isReadable(envelope));
  return end === -1 ? messages : messages.slice(0, end);
}

/** Without leave of `lane_isolate`, `lane_begin` is asked about nobody. */
const LANE_BEGIN = `
select b.*, i.is_suspect, clock_timestamp() as at, user_language($1) as language, (select version::text from names_version) as names_version
  from lane_isolate($1, $7) i, lateral lane_begin(case when i.ok then $1 end, $2, $3, $4, $5, $6) b`;

interface BeginRow {
  readonly epoch: string;
  readonly attempts: number;
  readonly is_suspect: boolean;
  readonly begun: number;
  readonly stop_before: string;
  readonly messages: InboxMessage[];
  readonly person: { name: string; role: Role } | null;
  readonly language: string | null;
  readonly thread_id: string | null;
  readonly thread_new: boolean;
  readonly expired: { threadId: string; title: string | null } | null;
  readonly waiting: WaitingCard[] | null;
  readonly names_version: string;
  readonly at: Date;
}

/** Extends the leases of these lanes. Returns the person keys whose lane was lost: their work must stop. One round trip. */
export async function beatLanes(
  db: Queryable,
  worker: string,
  lanes: readonly Lane[],
  leaseMs: number,
): Promise<readonly string[]> {
  const { rows } = await db.query<{ lost: string }>(named(
    'lane_beat',
  )`select lane_beat(${worker}, ${lanes.map((lane) => lane.userKey)}, ${lanes.map((lane) => lane.epoch)},
        ${leaseMs}) as lost`);
  return rows.map((row) => row.lost);
}

export type TurnOutcome =
  'answered' | 'waiting' | 'finished' | 'limit' | 'stopped' | 'failed' | 'notice' | 'dead-lettered';

export interface TurnRecord {
  readonly turnId: string;
  readonly threadId: string | null;
  readonly worker: string;
  readonly traceId: string;
  /** The model that gave the last answer; null when none was asked. */
  readonly model: string | null;
  readonly outcome: TurnOutcome;
  readonly passes: number;
  readonly toolCalls: number;
  readonly usage: TurnUsage | null;
  readonly error: string | null;
  readonly startedAt: string;
}

/** What models used, as far as their providers say. */
interface Usage {
  /** All input tokens, those from a provider's cache included. */
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  /** USD; null when a part of it is not known. */
  readonly costUsd: number | null;
}

/** The usage of one turn, in sum and by model. */
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

/**
 * Ends a turn: its newest checkpoint if there is one, its records, replies, outcomes and thread, and releases the lane, in one
 * transaction and one round trip. `ok` is false when the lane was lost, and then nothing was written. `more` asks for a wake-up:
 * open messages remain.
 */
export async function finishLane(
  db: Queryable,
  lane: Lane,
  end: TurnEnd,
  checkpoint: CheckpointRow | null = null,
  recording: TurnRecording | null = null,
): Promise<{ readonly ok: boolean; readonly more: boolean }> {
  // The checkpoint comes first: when it is not stored, `lane_finish` is asked about nobody and writes nothing either.
  const stored = checkpoint ? checkpointPut(lane, checkpoint) : sql`true`;
  const finished = await findRow<{ ok: boolean; more: boolean }>(db, checkpoint ? 'turn_finish' : 'lane_finish')`
    select f.ok, f.more, ${callTurnRecord(lane, recording)}
      from (select ${stored} as stored) c,
           lateral lane_finish(case when c.stored then ${lane.userKey} end, ${lane.epoch},
             ${end.turn && JSON.stringify(makeStorable(end.turn))}::jsonb, ${JSON.stringify(end.outcomes)}::jsonb,
             ${JSON.stringify(end.replies.map(withoutSecrets))}::jsonb,
             ${end.thread && JSON.stringify(makeStorable(end.thread))}::jsonb) f`;
  return finished ?? { ok: false, more: false };
}

/**
 * Gives a lane back without an end of turn. One that another process holds by now is not touched, but what it was charged for the
 * silence of this one is taken back. Twice is safe.
 */
export async function yieldLane(
  db: Queryable,
  lane: Lane,
  options: { readonly holder: string; readonly countAttempt: boolean; readonly backoffMs: number },
): Promise<void> {
  await db.query(sql`select case when lane_yield(${lane.userKey}, ${lane.epoch}, ${options.countAttempt},
      ${options.backoffMs}) then true else lane_acquit(${lane.userKey}, ${options.holder}) end`);
}

/** People with open messages whom nobody woke for `quietMs`: a crash, a lost Redis, a trimmed stream. Marks them as woken. */
export async function sweepLanes(db: Queryable, quietMs: number, maxLanes: number): Promise<readonly string[]> {
  const rows = await listRows<{ user_key: string }>(db)`select lane_sweep(${quietMs}, ${maxLanes}) as user_key`;
  return rows.map((row) => row.user_key);
}

/** The inbox id of the newest /stop of this person, 0 when there was none. */
export async function readStopBefore(db: Queryable, userKey: string): Promise<number> {
  const { rows } = await db.query<{ stop_before: string }>(sql`select stop_before from lanes
      where user_key = ${userKey}`);
  return Number(rows[0]?.stop_before ?? 0);
}
