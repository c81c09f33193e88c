import type { AuditEvent } from '@signalbox/contracts/governance/audit';
import type { Role } from '@signalbox/contracts/governance/roles';
import { AppError } from '@signalbox/contracts/errors';
import type { Proposal } from './approvals.ts';
import { auditJson } from '../audit/audit.ts';
import { checkpointPut, checkpointValues, type CheckpointRow } from '../conversation/checkpoints.ts';
import type { Lane } from '../conversation/lane.ts';
import type { Queryable } from '../pool.ts';
import { hasRow, listRows, named, sql } from '../sql.ts';

/**
 * What a call was marked with: its result carries outside text with which later arguments are compared, or such text in records of our
 * own, or it read what is private.
 */
export type ActionMark = 'untrusted' | 'records' | 'private';

export interface ActionIntent {
  readonly actionId: string;
  /** The action that this one was changed from. */
  readonly parentActionId?: string | null;
  readonly turnId: string;
  /** The id of the message that began the turn: the same in every run of it. */
  readonly turnKey: string;
  readonly threadId: string;
  readonly tool: string;
  readonly arguments: unknown;
  /** Roles that allow it. The person's role is looked at again here: an admin may have changed it while the turn ran. */
  readonly roles: readonly Role[];
  readonly proposal: Proposal;
  /** The exact action: see `actionHash`. */
  readonly hash: string;
  readonly marks: readonly ActionMark[];
  /** A grant that is used up by one, instead of an approval. */
  readonly grantId: string | null;
  /** Written with the intent, or not at all. */
  readonly events: readonly AuditEvent[];
}

export type ActionStatus =
  'waiting' | 'started' | 'done' | 'failed' | 'unknown' | 'denied' | 'rejected' | 'modified' | 'expired' | 'void';

/** What is known of an action that was begun before: by an earlier run of the same turn that died. */
export interface EarlierAction {
  readonly status: ActionStatus;
  readonly result: unknown;
  readonly errorCode: string | null;
}

/*
 * What makes an action the same: person, conversation, turn, tool and arguments. Only the very same one is handed what came of it;
 * anything else under its id is refused with ACTION_ID_TAKEN, before anything is written. Rows of before know no turn.
 */

/** In which of them the row `a` differs, given the places of their parameters. */
const differs = (person: number, thread: number, turn: number, tool: number, args: number): string =>
  `array_remove(array[
     case when a.user_key <> $${person} then 'person' end, case when a.thread_id <> $${thread} then 'conversation' end,
     case when a.turn_key <> $${turn} then 'turn' end, case when a.tool <> $${tool} then 'tool' end,
     case when a.arguments <> $${args}::jsonb then 'arguments' end], null)`;

/** What the ledger has of these ids. */
export function readActions(
  db: Queryable,
  actionIds: readonly string[],
): Promise<
  readonly (Pick<EarlierAction, 'status' | 'result'> & { readonly actionId: string; readonly tool: string })[]
> {
  return listRows<{ actionId: string; tool: string; status: ActionStatus; result: unknown }>(db)`
    select action_id as "actionId", tool, status, result from actions where action_id = any (${actionIds})`;
}

function taken(tool: string, differences: readonly string[]): AppError {
  return new AppError('ACTION_ID_TAKEN', { tool, differs: differences.join(', ') });
}

/** Whether this very action is in the ledger. Throws ACTION_ID_TAKEN when another one is, under its id. */
export async function hasAction(
  db: Queryable,
  lane: Pick<Lane, 'userKey'>,
  intent: Pick<ActionIntent, 'actionId' | 'threadId' | 'turnKey' | 'tool' | 'arguments'>,
): Promise<boolean> {
  const { rows } = await db.query<{ differs: string[] }>(
    `select ${differs(2, 3, 4, 5, 6)} as differs from actions a where a.action_id = $1`,
    [
      intent.actionId,
      lane.userKey,
      intent.threadId,
      intent.turnKey,
      intent.tool,
      JSON.stringify(intent.arguments ?? null),
    ],
  );
  const [row] = rows;
  if (row && row.differs.length > 0) throw taken(intent.tool, row.differs);
  return row !== undefined;
}

/** The statement that begins an action, with the call that stores a checkpoint in it. */
function beginText(storeCheckpoint: string): string {
  return `with held as (select 1 from lanes where user_key = $2 and epoch = $3 and worker is not null for share),
           flushed as (select ${storeCheckpoint} as done),
           actor as (select role from users where user_key = $2 for share),
           granted as (
             update grants set uses_left = uses_left - 1
              where grant_id = $13 and revoked_at is null and uses_left > 0 and expires_at > now()
                and exists (select 1 from held) and exists (select 1 from flushed where done)
                and not exists (select 1 from actions where action_id = $1)
             returning 1),
           mine as (
             insert into actions (action_id, turn_id, thread_id, user_key, tool, arguments, epoch, status, started_at,
                                  proposal, hash, marks, grant_id, parent_action_id, turn_key)
             select $1, $4, $5, $2, $6, $7::jsonb, $3, 'started', now(), $9::jsonb, $10, $11, $13, $14, $16
               from held, actor, flushed
              where done and actor.role = any ($8) and ($13::text is null or exists (select 1 from granted))
                and ($15::boolean = exists (select 1 from settings where key = 'freeze'))
             on conflict (action_id) do nothing returning 1),
           audited as (select audit_append($12::jsonb) from mine),
           tainted as (select taint_thread($5, $6, clock_timestamp()) from mine where $11::text[] && '{untrusted,records}')
           select exists (select 1 from mine) as claimed, exists (select 1 from held) and (select done from flushed) as held,
                  a.status, a.result, a.error_code,
                  (select role from actor) as role, coalesce((select role = any ($8) from actor), false) as permitted,
                  (select count(*) from audited) as audited, (select count(*) from tainted) as tainted,
                  ${differs(2, 5, 16, 6, 7)} as differs
             from (select 1) one left join actions a on a.action_id = $1`;
}

const BEGIN = { name: 'action_begin', text: beginText('true') };
const BEGIN_WITH_CHECKPOINT = { name: 'action_begin_checkpoint', text: beginText(checkpointPut(17)) };

/**
 * Writes the intent of an effect before it runs, only while the lane is held; its audit events come and go with it. `checkpoint`: what the
 * turn goes on with after a crash. It is stored in the same statement, also when the action is not begun, but not when the lane is lost.
 * `claimed`: run it. `earlier`: it was begun before; this is what came of it. `lost`: another worker holds the lane; do nothing.
 * `denied`: the person's role, as it is now, does not allow it; nothing was written. `stopped`: /freeze came meanwhile, or the
 * grant is used up; nothing was written, and it has to be decided again. Throws ACTION_ID_TAKEN, see above.
 */
export async function beginAction(
  db: Queryable,
  lane: Lane,
  intent: ActionIntent,
  checkpoint: CheckpointRow | null,
): Promise<
  | { readonly kind: 'claimed' }
  | { readonly kind: 'lost' }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'denied'; readonly role: Role | null }
  | { readonly kind: 'earlier'; readonly action: EarlierAction }
> {
  const { rows } = await db.query<{
    claimed: boolean;
    held: boolean;
    permitted: boolean;
    role: Role | null;
    status: ActionStatus | null;
    result: unknown;
    error_code: string | null;
    differs: string[];
  }>({
    ...(checkpoint ? BEGIN_WITH_CHECKPOINT : BEGIN),
    values: [
      intent.actionId,
      lane.userKey,
      lane.epoch,
      intent.turnId,
      intent.threadId,
      intent.tool,
      JSON.stringify(intent.arguments ?? null),
      intent.roles,
      JSON.stringify(intent.proposal),
      intent.hash,
      intent.marks,
      auditJson(intent.events),
      intent.grantId,
      intent.parentActionId ?? null,
      intent.proposal.question.context.frozen,
      intent.turnKey,
      ...(checkpoint ? checkpointValues(lane, checkpoint) : []),
    ],
  });
  const row = rows[0];
  if (!row || !row.held) return { kind: 'lost' };
  if (row.claimed) return { kind: 'claimed' };
  if (row.differs.length > 0) throw taken(intent.tool, row.differs);
  const isOver = row.status !== null && row.status !== 'started';
  if (!row.permitted && !isOver) return { kind: 'denied', role: row.role };
  if (row.status === null && (await isStopped(db, intent))) return { kind: 'stopped' };
  // Not claimed and not visible cannot both be true for long: the row was inserted by a transaction that committed meanwhile.
  return {
    kind: 'earlier',
    action: { status: row.status ?? 'unknown', result: row.result, errorCode: row.error_code },
  };
}

/** Whether the claim failed because something it was decided by has changed, and not because the action is there already. */
async function isStopped(db: Queryable, intent: ActionIntent): Promise<boolean> {
  return !(await hasRow(db)`select 1 from actions where action_id = ${intent.actionId}`);
}

/**
 * Records what came of an action, with its audit events. The first settlement stands; but one that nobody knew the outcome of may be
 * settled again by whoever has looked it up.
 */
export async function settleAction(
  db: Queryable,
  actionId: string,
  outcome: {
    readonly status: 'done' | 'failed' | 'unknown';
    readonly result: unknown;
    readonly errorCode: string | null;
    readonly events: readonly AuditEvent[];
    readonly isLookedUp?: boolean;
  },
): Promise<void> {
  await db.query(named('action_settle')`with settled as (
             update actions set status = ${outcome.status}, result = ${JSON.stringify(outcome.result ?? null)},
               error_code = ${outcome.errorCode}, settled_at = now()
              where action_id = ${actionId}
                and (status = 'started' or ${outcome.isLookedUp ?? false} and status = 'unknown' and ${outcome.status} <> 'unknown')
                returning 1)
           select (select audit_append(${auditJson(outcome.events)}::jsonb)) from settled`);
}

/**
 * Stores an action that does not run now: it waits for somebody, or was denied. Once per action id; false when this very action was
 * there. Throws LANE_LOST, and ACTION_ID_TAKEN.
 */
export async function putAction(
  db: Queryable,
  lane: Lane,
  intent: Omit<ActionIntent, 'roles' | 'events' | 'grantId'>,
  status: 'waiting' | 'denied',
): Promise<boolean> {
  const { rowCount } = await db.query(
    `with held as (${HELD})
     insert into actions (action_id, user_key, epoch, turn_id, thread_id, tool, arguments, proposal, hash, marks, parent_action_id,
                          turn_key, status)
     select ${VALUES}, $13 from held on conflict (action_id) do nothing`,
    [...valuesOf(lane, intent), status],
  );
  if (rowCount === 1) return true;
  if (!(await hasAction(db, lane, intent))) throw new AppError('LANE_LOST', { userKey: lane.userKey });
  return false;
}

/**
 * Stores a look-up whose result the thread has to remember: text from outside, or something private. It has happened already; made
 * again, what it read last is remembered, and every mark. Throws LANE_LOST, and ACTION_ID_TAKEN.
 */
export async function noteRead(
  db: Queryable,
  lane: Lane,
  intent: Omit<ActionIntent, 'roles' | 'events' | 'grantId'>,
  result: unknown,
): Promise<void> {
  const { rowCount } = await db.query(
    `with held as (${HELD})
     insert into actions as a (action_id, user_key, epoch, turn_id, thread_id, tool, arguments, proposal, hash, marks, parent_action_id,
                               turn_key, status, result, started_at, settled_at)
     select ${VALUES}, 'done', $13::jsonb, now(), now() from held
     on conflict (action_id) do update
        set result = excluded.result, marks = (select array_agg(distinct m) from unnest(a.marks || excluded.marks) m)
      where cardinality(${differs(2, 5, 12, 6, 7)}) = 0`,
    [...valuesOf(lane, intent), JSON.stringify(result ?? null)],
  );
  if (rowCount === 1) return;
  await hasAction(db, lane, intent);
  throw new AppError('LANE_LOST', { userKey: lane.userKey });
}

const HELD = 'select 1 from lanes where user_key = $2 and epoch = $3 and worker is not null for share';
const VALUES = '$1, $2, $3, $4, $5, $6, $7::jsonb, $8::jsonb, $9, $10, $11, $12';

function valuesOf(lane: Lane, intent: Omit<ActionIntent, 'roles' | 'events' | 'grantId'>): readonly unknown[] {
  return [
    intent.actionId,
    lane.userKey,
    lane.epoch,
    intent.turnId,
    intent.threadId,
    intent.tool,
    JSON.stringify(intent.arguments ?? null),
    JSON.stringify(intent.proposal),
    intent.hash,
    intent.marks,
    intent.parentActionId ?? null,
    intent.turnKey,
  ];
}

/** What a turn has come to so far. */
export interface SoFar {
  /** Ids of the actions that had an effect, or may have had one: see receipts. */
  readonly effects: readonly string[];
  /** What people are asked to look at, because nobody knows whether it took place. */
  readonly unclear: readonly string[];
}

/** What all runs of the turn that a message began have come to, or, for a decision, the action that it decided about. */
export async function soFarOfMessage(
  db: Queryable,
  userKey: string,
  message: { readonly turnKey: string; readonly actionId: string | null },
): Promise<SoFar> {
  const { rows } = await db.query<{ actionId: string; status: string; say: string | null }>(sql`
    select action_id as "actionId", status, result ->> 'say' as say from actions
      where user_key = ${userKey} and (turn_key = ${message.turnKey} or action_id = ${message.actionId})
        and (status = 'done' and proposal #>> '{action,assessment,risk}' is distinct from 'safe' or status = 'unknown'
             or status = 'failed' and error_code = 'JOB_FAILED')
      order by started_at, action_id`);
  const unclear = rows.flatMap(({ status, say }) => (status === 'unknown' ? (say?.split('\n')[0] ?? []) : []));
  return { effects: rows.map(({ actionId }) => actionId), unclear };
}

/**
 * Effects that were begun for a person and that nobody goes on with when this message of theirs is given up; locked, so that they
 * can be settled. Those of a decision that is still to be carried out are left to it. None when the lane was lost.
 */
export function abandonedActions(
  db: Queryable,
  lane: Lane,
  inboxId: number,
): Promise<readonly { readonly actionId: string; readonly tool: string }[]> {
  return listRows<{ actionId: string; tool: string }>(db)`
    select a.action_id as "actionId", a.tool from actions a
      where a.user_key = ${lane.userKey} and a.status = 'started'
        and exists (select 1 from lanes where user_key = ${lane.userKey} and epoch = ${lane.epoch} and worker is not null)
        and not exists (
          select 1 from approvals p join inbox i on i.envelope ->> 'approvalId' = p.approval_id
           where p.action_id = a.action_id and i.user_key = ${lane.userKey} and i.kind = 'decision' and i.outcome is null
             and i.id <> ${inboxId})
      order by a.started_at for update of a`;
}
