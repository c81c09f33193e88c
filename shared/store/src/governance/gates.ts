import { newId } from '@signalbox/contracts/ids';
import {
  makeGateActionId,
  type GateFacts,
  type GateForge,
  type GateTarget,
} from '@signalbox/contracts/operations/gate';
import { MINUTE_MS } from '@signalbox/contracts/time';
import type { Queryable } from '../pool.ts';
import { findRow, findValue, listRows, readRow, sql } from '../sql.ts';

/** What a forge says of a gate besides its request. */
export interface NewGate {
  readonly source: string;
  readonly forge: GateForge;
  /** What makes it the same request when the forge sends it again. */
  readonly once: string;
  readonly repository: string;
  /** Accounts at the forge in whose name it asks, such as `github-583231`. */
  readonly accounts: readonly string[];
  /** What the answer has to name; null when the pipeline polls for it. */
  readonly target: GateTarget | null;
  /** What is known of it already; null when it is to be read at the forge. */
  readonly facts?: GateFacts;
  /** How long the forge waits for an answer. */
  readonly waitsMs: number;
}

/** How much of a gate is proved: its forge vouches for the accounts, of which each stands here once. */
export interface GateProof {
  readonly forge: GateForge;
  readonly accounts: readonly string[];
  /** How many of these accounts belong to people here. */
  readonly known: number;
  /** What was read at the forge; null while it is being read. */
  readonly facts: GateFacts | null;
}

/** A gate whose forge waits for an answer. */
export interface OpenGate {
  readonly eventId: string;
  /** The action that people decide. */
  readonly actionId: string;
  readonly forge: GateForge;
  readonly repository: string;
  readonly target: GateTarget;
  readonly hasFacts: boolean;
  readonly tries: number;
  readonly isTold: boolean;
  /** True when the forge does not wait any longer. */
  readonly isLate: boolean;
  /** True when it is time to ask the forge whether the run still waits. */
  readonly isUnseen: boolean;
}

export interface GateDecision {
  readonly status: string | null;
  /** True when the turn that asks people has ended. */
  readonly isOver: boolean;
  readonly approvalId: string | null;
  readonly reason: string | null;
  readonly deciders: readonly string[];
  readonly names: readonly string[];
}

/** How often a forge is asked whether a run still waits. */
const LOOK_MS = MINUTE_MS;

/** Records a gate, and returns the id of its event: for a request that was sent before, the id of then. */
export async function recordGate(db: Queryable, gate: NewGate, eventId = newId('evt')): Promise<string> {
  const { source, forge, once, repository, accounts, target, facts, waitsMs } = gate;
  // The update changes nothing: it returns the row of the first request, also when both are sent at once.
  const row = await readRow<{ eventId: string }>(db)`
      insert into gates (event_id, action_id, source, forge, once, repository, accounts, target, facts, ends_at)
      values (${eventId}, ${makeGateActionId(eventId)}, ${source}, ${forge}, ${once}, ${repository}, ${[...accounts]},
              ${target === null ? null : JSON.stringify(target)}::jsonb, ${facts ? JSON.stringify(facts) : null}::jsonb, clock_timestamp() + ${waitsMs} * interval '1 ms')
      on conflict (once) do update set source = gates.source returning event_id as "eventId"`;
  return row.eventId;
}

/** Finds what a forge has proved of a gate; null for a gate of which only its pipeline spoke. */
export function findGateProof(db: Queryable, eventId: string): Promise<GateProof | null> {
  return findRow<GateProof & Record<string, unknown>>(db)`
    with gate as (
      select g.forge, g.facts, array(select distinct unnest(g.accounts || array(
               select jsonb_array_elements_text(coalesce(g.facts -> 'accounts', '[]'))))) as accounts
        from gates g where g.event_id = ${eventId})
    select forge, facts, accounts, (select count(*)::int from users u where u.user_key = any (accounts)) as known
      from gate`;
}

/** Stores what was read of a gate, unless something stands there already, and returns what stands there. */
export function settleGateFacts(db: Queryable, eventId: string, facts: GateFacts): Promise<GateFacts | null> {
  return findValue<GateFacts>(db)`
    update gates set facts = coalesce(facts, ${JSON.stringify(facts)}::jsonb) where event_id = ${eventId} returning facts`;
}

/** Takes gates whose forge waits, for `leaseMs`: another process takes them only after that. */
export function takeOpenGates(db: Queryable, leaseMs: number, max: number): Promise<readonly OpenGate[]> {
  return listRows<OpenGate & Record<string, unknown>>(db)`
    update gates g set next_at = clock_timestamp() + ${leaseMs} * interval '1 ms'
     where g.event_id in (
       select event_id from gates where target is not null and answered_at is null and next_at <= clock_timestamp()
        order by next_at limit ${max} for update skip locked)
    returning g.event_id as "eventId", g.action_id as "actionId", g.forge, g.repository, g.target, g.facts is not null as "hasFacts", g.tries,
              g.told_at is not null as "isTold", g.ends_at <= clock_timestamp() as "isLate",
              coalesce(g.looked_at, g.received_at) < clock_timestamp() - ${LOOK_MS} * interval '1 ms' as "isUnseen"`;
}

export function readGateDecision(db: Queryable, eventId: string): Promise<GateDecision> {
  return readRow<GateDecision & Record<string, unknown>>(db)`
    select status, is_over as "isOver", approval_id as "approvalId", reason, deciders, names from gate_decision(${eventId})`;
}

/** Looks at a gate again after a time. `isTry`: the forge was asked, and did not take the answer; `isSeen`: the run still waits. */
export async function postponeGate(
  db: Queryable,
  eventId: string,
  {
    afterMs,
    isTry = false,
    isTold = false,
    isSeen = false,
  }: { readonly afterMs: number; readonly isTry?: boolean; readonly isTold?: boolean; readonly isSeen?: boolean },
): Promise<void> {
  await db.query(sql`update gates set next_at = clock_timestamp() + ${afterMs} * interval '1 ms', tries = tries + ${isTry ? 1 : 0},
      looked_at = case when ${isSeen} then clock_timestamp() else looked_at end,
      told_at = case when ${isTold} then coalesce(told_at, clock_timestamp()) else told_at end where event_id = ${eventId}`);
}

/** Ends a gate: the forge took the answer, or will never take it. */
export async function closeGate(db: Queryable, eventId: string, answer: string): Promise<void> {
  await db.query(
    sql`update gates set answered_at = clock_timestamp(), answer = ${answer} where event_id = ${eventId} and answered_at is null`,
  );
}
