import type { AuditEvent } from '@signalbox/contracts/governance/audit';
import type { Role } from '@signalbox/contracts/governance/roles';
import { AppError } from '@signalbox/contracts/errors';
import type { Proposal } from './approvals.ts';
import { auditJson } from '../audit/audit.ts';
import { checkpointPut, type CheckpointRow } from '../conversation/checkpoints.ts';
import { heldLane, type Lane } from '../conversation/lane.ts';
import type { Queryable } from '../pool.ts';
import { findRow, findValue, hasRow, listRows, named, sql, type Sql } from '../sql.ts';

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

/** What makes an action the same, beside its person. */
type Sameness = Pick<ActionIntent, 'threadId' | 'turnKey' | 'tool' | 'arguments'>;

/** In which of them the row `a` differs. */
function differs(userKey: string, { threadId, turnKey, tool, arguments: args }: Sameness): Sql {
  return sql`array_remove(array[
     case when a.user_key <> ${userKey} then 'person' end, case when a.thread_id <> ${threadId} then 'conversation' end,
     case when a.turn_key <> ${turnKey} then 'turn' end, case when a.tool <> ${tool} then 'tool' end,
     case when a.arguments <> ${JSON.stringify(args ?? null)}::jsonb then 'arguments' end], null)`;
}

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
  intent: Sameness & Pick<ActionIntent, 'actionId'>,
): Promise<boolean> {
  const differences = await findValue<readonly string[]>(db)`
    select ${differs(lane.userKey, intent)} from actions a where a.action_id = ${intent.actionId}`;
  if (differences && differences.length > 0) throw taken(intent.tool, differences);
  return differences !== null;
}

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
  const { actionId, threadId, tool, roles, marks, grantId } = intent;
  const row = await findRow<{
    claimed: boolean;
    held: boolean;
    permitted: boolean;
    role: Role | null;
    status: ActionStatus | null;
    result: unknown;
    error_code: string | null;
    differs: string[];
  }>(db, checkpoint ? 'action_begin_checkpoint' : 'action_begin')`
    with held as (${heldLane(lane)}),
         flushed as (select ${checkpoint ? checkpointPut(lane, checkpoint) : sql`true`} as done),
         actor as (select role from users where user_key = ${lane.userKey} for share),
         granted as (
           update grants set uses_left = uses_left - 1
            where grant_id = ${grantId} and revoked_at is null and uses_left > 0 and expires_at > now()
              and exists (select 1 from held) and exists (select 1 from flushed where done)
              and not exists (select 1 from actions where action_id = ${actionId})
           returning 1),
         mine as (
           insert into actions (${COLUMNS}, status, started_at, grant_id)
           select ${valuesOf(lane, intent)}, 'started', now(), ${grantId}
             from held, actor, flushed
            where done and actor.role = any (${roles}) and (${grantId}::text is null or exists (select 1 from granted))
              and (${intent.proposal.question.context.frozen}::boolean = exists (select 1 from settings where key = 'freeze'))
           on conflict (action_id) do nothing returning 1),
         audited as (select audit_append(${auditJson(intent.events)}::jsonb) from mine),
         tainted as (select taint_thread(${threadId}, ${tool}, clock_timestamp()) from mine
                      where ${marks}::text[] && '{untrusted,records}')
    select exists (select 1 from mine) as claimed, exists (select 1 from held) and (select done from flushed) as held,
           a.status, a.result, a.error_code,
           (select role from actor) as role, coalesce((select role = any (${roles}) from actor), false) as permitted,
           (select count(*) from audited) as audited, (select count(*) from tainted) as tainted,
           ${differs(lane.userKey, intent)} as differs
      from (select 1) one left join actions a on a.action_id = ${actionId}`;
  if (!row?.held) return { kind: 'lost' };
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
  const isNew = await hasRow(db)`with held as (${heldLane(lane)})
    insert into actions (${COLUMNS}, status) select ${valuesOf(lane, intent)}, ${status} from held on conflict (action_id) do nothing`;
  if (isNew) return true;
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
  const isNoted = await hasRow(db)`with held as (${heldLane(lane)})
    insert into actions as a (${COLUMNS}, status, result, started_at, settled_at)
     select ${valuesOf(lane, intent)}, 'done', ${JSON.stringify(result ?? null)}::jsonb, now(), now() from held
     on conflict (action_id) do update
        set result = excluded.result, marks = (select array_agg(distinct m) from unnest(a.marks || excluded.marks) m)
      where cardinality(${differs(lane.userKey, intent)}) = 0`;
  if (isNoted) return;
  await hasAction(db, lane, intent);
  throw new AppError('LANE_LOST', { userKey: lane.userKey });
}

/** What every action is stored with; `valuesOf` has the values in this order. */
const COLUMNS = sql`action_id, user_key, epoch, turn_id, thread_id, turn_key, tool, arguments, proposal, hash, marks, parent_action_id`;

function valuesOf({ userKey, epoch }: Lane, intent: Omit<ActionIntent, 'roles' | 'events' | 'grantId'>): Sql {
  const { actionId, turnId, threadId, turnKey, tool, proposal, hash, marks, parentActionId = null } = intent;
  return sql`${actionId}, ${userKey}, ${epoch}, ${turnId}, ${threadId}, ${turnKey}, ${tool},
    ${JSON.stringify(intent.arguments ?? null)}::jsonb, ${JSON.stringify(proposal)}::jsonb, ${hash}, ${marks}, ${parentActionId}`;
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
  const rows = await listRows<{ actionId: string; status: string; say: string | null }>(db)`
    select action_id as "actionId", status, result ->> 'say' as say from actions
      where user_key = ${userKey} and (turn_key = ${message.turnKey} or action_id = ${message.actionId})
        and (status = 'done' and proposal #>> '{action,assessment,risk}' is distinct from 'safe' or status = 'unknown'
             or status = 'failed' and error_code = 'JOB_FAILED')
      order by started_at, action_id`;
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
