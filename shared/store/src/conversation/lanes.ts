import type { InboundEnvelope, InboxOutcome, OutboundEnvelope } from '@signalbox/contracts/conversation/envelope';
import type { Role } from '@signalbox/contracts/governance/roles';
import { storesCheckpoint, type CheckpointRow } from './checkpoints.ts';
import { recordsTurn, type TurnRecording } from '../governance/execution-turns.ts';
import type { Lane } from './lane.ts';
import { makeStorable } from '@signalbox/contracts/storable';
import { withoutSecrets } from './outbox.ts';
import type { Queryable } from '../pool.ts';
import { isReadable } from '../unreadable-messages.ts';
import { findRow, findValue, listValues, sql } from '../sql.ts';

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
  /** The agent that it is for: its thread's, else the one that was chosen in that chat. */
  readonly agent: string;
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
  /** The one that answers where nobody chose one. */
  readonly agent: string;
}

/**
 * Takes a person's lane. Null when it is busy, backing off, has nothing to do, or is suspected of having ended a process while this
 * one tries another such lane. One round trip.
 */
export async function claimLane(db: Queryable, userKey: string, options: BeginOptions): Promise<ClaimedLane | null> {
  const { worker, leaseMs, maxMessages, idleMs, agent, holder = worker } = options;
  // When `lane_isolate` refuses, `lane_begin` gets null for the person and claims nothing.
  const row = await findRow<Omit<ClaimedLane, 'userKey' | 'now'> & { at: Date }>(db, 'lane_begin')`
    select b.epoch, b.attempts, i.is_suspect as suspect, b.begun > 1 as resumed, coalesce(b.stop_before, 0)::float8 as "stopBefore", b.messages, b.person,
           b.thread_id as "threadId", b.thread_new as "threadNew", b.expired, b.agent, coalesce(b.waiting, '[]') as waiting,
           user_language(${userKey}) as language, (select version::text from names_version) as "namesVersion", clock_timestamp() as at
      from lane_isolate(${userKey}, ${holder}) i,
           lateral lane_begin(case when i.ok then ${userKey}::text end, ${worker}, ${leaseMs}, ${maxMessages}, ${idleMs}, ${agent}) b`;
  if (!row) return null;
  const { at, ...claimed } = row;
  return { ...claimed, userKey, messages: leadingReadable(row.messages), now: clockFrom(at) };
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

/** Extends the leases of these lanes. Returns the person keys whose lane was lost: their work must stop. One round trip. */
export function beatLanes(
  db: Queryable,
  worker: string,
  lanes: readonly Lane[],
  leaseMs: number,
): Promise<readonly string[]> {
  return listValues<string>(db, 'lane_beat')`
    select lane_beat(${worker}, ${lanes.map((lane) => lane.userKey)}, ${lanes.map((lane) => lane.epoch)}, ${leaseMs})`;
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

/** An end without a turn of an agent. */
const NOT_RECORDED = { checkpoint: null, recording: null };

/**
 * Ends a turn: its newest checkpoint if there is one, its records, replies, outcomes and thread, and releases the lane, in one
 * transaction and one round trip. `ok` is false when the lane was lost, and then nothing was written. `more` asks for a wake-up:
 * open messages remain.
 */
export async function finishLane(
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
  // Without its checkpoint, `lane_finish` is asked about nobody and writes nothing either.
  const row = await findRow<{ ok: boolean; more: boolean }>(db, name)`
    select f.ok, f.more, ${recordsTurn(lane, recording)}
      from (select ${checkpoint ? storesCheckpoint(lane, checkpoint) : sql`true`} as stored) c,
           lateral lane_finish(case when c.stored then ${lane.userKey}::text end, ${lane.epoch},
             ${turn && JSON.stringify(makeStorable(turn))}::jsonb, ${JSON.stringify(outcomes)}::jsonb,
             ${JSON.stringify(replies.map(withoutSecrets))}::jsonb, ${thread && JSON.stringify(makeStorable(thread))}::jsonb) f`;
  return row ?? { ok: false, more: false };
}

/**
 * Gives a lane back without an end of turn. One that another process holds by now is not touched, but what it was charged for the
 * silence of this one is taken back. Idempotent.
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
export function sweepLanes(db: Queryable, quietMs: number, maxLanes: number): Promise<readonly string[]> {
  return listValues<string>(db)`select lane_sweep(${quietMs}, ${maxLanes})`;
}

/** The inbox id of the newest /stop of this person, 0 when there was none. */
export function readStopBefore(db: Queryable, userKey: string): Promise<number> {
  return findValue(db, 0)`select stop_before::float8 from lanes where user_key = ${userKey}`;
}
