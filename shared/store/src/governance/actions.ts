import type { AuditEvent } from '@signalbox/contracts/governance/audit';
import type { Role } from '@signalbox/contracts/governance/roles';
import { AppError } from '@signalbox/contracts/errors';
import type { Proposal } from './approvals.ts';
import { buildAuditJson } from '../audit/audit.ts';
import { buildCheckpointCall, type CheckpointRow } from '../conversation/checkpoints.ts';
import { selectHeldLane, type Lane } from '../conversation/lane.ts';
import type { Queryable } from '../pool.ts';
import { findRow, findValue, hasRow, listRows, prepareSql, sql, type Sql } from '../sql.ts';

/** `private`: the call read private data. Rows of earlier releases may have `untrusted`. */
export type ActionMark = 'private';

export interface ActionIntent {
  readonly actionId: string;
  /** Id of the action that was changed into this one. */
  readonly parentActionId?: string | null;
  readonly turnId: string;
  /** Id of the message that started the turn; all runs of a turn have the same key. */
  readonly turnKey: string;
  readonly threadId: string;
  readonly tool: string;
  readonly arguments: unknown;
  /** Roles that allow the action. The statement reads the person's role again, because an admin may have changed it during the turn. */
  readonly roles: readonly Role[];
  readonly proposal: Proposal;
  /** Hash of the exact action, from `hashAction`. */
  readonly hash: string;
  readonly marks: readonly ActionMark[];
  /** A grant that this action uses up once, instead of an approval. */
  readonly grantId: string | null;
  /** Audit events to write together with the intent. */
  readonly events: readonly AuditEvent[];
}

export type ActionStatus =
  'waiting' | 'started' | 'done' | 'failed' | 'unknown' | 'denied' | 'rejected' | 'modified' | 'expired' | 'void';

/** State of an action that an earlier run of the same turn started before its process died. */
export interface EarlierAction {
  readonly status: ActionStatus;
  readonly result: unknown;
  readonly errorCode: string | null;
}

/*
 * Two actions are the same when person, conversation, turn, tool and arguments are equal. A repeated action gets its stored result; a
 * different action with a known id is refused with ACTION_ID_TAKEN before anything is written. Rows of earlier releases have no turn.
 */

/** Builds an SQL array with the names of the parts in which the row `a` differs from an intent. */
function differsFrom(lane: Pick<Lane, 'userKey'>, intent: ActionIdentity): Sql {
  return sql`array_remove(array[
     case when a.user_key <> ${lane.userKey} then 'person' end, case when a.thread_id <> ${intent.threadId} then 'conversation' end,
     case when a.turn_key <> ${intent.turnKey} then 'turn' end, case when a.tool <> ${intent.tool} then 'tool' end,
     case when a.arguments <> ${JSON.stringify(intent.arguments ?? null)}::jsonb then 'arguments' end], null)`;
}

type ActionIdentity = Pick<ActionIntent, 'threadId' | 'turnKey' | 'tool' | 'arguments'>;

/** Reads the status and result of these actions. */
export function readActions(db: Queryable, actionIds: readonly string[]) {
  return listRows<{ actionId: string; tool: string; status: ActionStatus; result: unknown }>(db)`
    select action_id as "actionId", tool, status, result from actions where action_id = any (${actionIds})`;
}

/** Finds a settled action of this conversation; null when the ledger has none. */
export function findThreadAction(db: Queryable, actionId: string, threadId: string) {
  return findRow<{ tool: string; result: unknown }>(db)`
    select tool, result from actions where action_id = ${actionId} and thread_id = ${threadId} and result is not null`;
}

function taken(tool: string, differences: readonly string[]): AppError {
  return new AppError('ACTION_ID_TAKEN', { tool, differs: differences.join(', ') });
}

/** True when the ledger contains this action. Throws ACTION_ID_TAKEN when another action has its id. */
export async function hasAction(
  db: Queryable,
  lane: Pick<Lane, 'userKey'>,
  intent: ActionIdentity & Pick<ActionIntent, 'actionId'>,
): Promise<boolean> {
  const differs = await findValue<readonly string[] | null>(db, null)`
    select ${differsFrom(lane, intent)} from actions a where a.action_id = ${intent.actionId}`;
  if (differs !== null && differs.length > 0) throw taken(intent.tool, differs);
  return differs !== null;
}

const STORED = sql`action_id, user_key, epoch, turn_id, thread_id, tool, arguments, proposal, hash, marks, parent_action_id, turn_key`;

function storedOf(lane: Lane, intent: Omit<ActionIntent, 'roles' | 'events' | 'grantId'>): Sql {
  return sql`${intent.actionId}, ${lane.userKey}, ${lane.epoch}, ${intent.turnId}, ${intent.threadId}, ${intent.tool},
    ${JSON.stringify(intent.arguments ?? null)}::jsonb, ${JSON.stringify(intent.proposal)}::jsonb, ${intent.hash}, ${intent.marks},
    ${intent.parentActionId ?? null}, ${intent.turnKey}`;
}

/**
 * Writes the intent of an effect with its audit events before the effect runs, only while the lane is held. `checkpoint` is the state
 * from which the turn continues after a crash; the same statement stores it unless the lane is lost. Returns `claimed`: run the action.
 * `earlier`: it was started before, with this state. `lost`: another worker holds the lane. `denied`: the person's current role does not
 * allow the action. `stopped`: a freeze began, or the grant is used up, so the action has to be decided again. Only `claimed` writes an
 * intent. Throws ACTION_ID_TAKEN: see above.
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
  const { actionId, tool, roles, grantId, events, proposal } = intent;
  const row = await findRow<{
    claimed: boolean;
    held: boolean;
    permitted: boolean;
    role: Role | null;
    status: ActionStatus | null;
    result: unknown;
    errorCode: string | null;
    differs: string[];
  }>(db, checkpoint ? 'action_begin_checkpoint' : 'action_begin')`
    with held as (${selectHeldLane(lane)}),
         flushed as (select ${checkpoint ? buildCheckpointCall(lane, checkpoint) : sql`true`} as done),
         actor as (select role from users where user_key = ${lane.userKey} for share),
         granted as (
           update grants set uses_left = uses_left - 1
            where grant_id = ${grantId} and revoked_at is null and uses_left > 0 and expires_at > now()
              and exists (select 1 from held) and exists (select 1 from flushed where done)
              and not exists (select 1 from actions where action_id = ${actionId})
           returning 1),
         mine as (
           insert into actions (${STORED}, status, started_at, grant_id)
           select ${storedOf(lane, intent)}, 'started', now(), ${grantId}
             from held, actor, flushed
            where done and actor.role = any (${roles}) and (${grantId}::text is null or exists (select 1 from granted))
              and (${proposal.question.context.frozen}::boolean = is_frozen())
           on conflict (action_id) do nothing returning 1),
         audited as (select audit_append(${buildAuditJson(events)}::jsonb) from mine)
    select exists (select 1 from mine) as claimed, exists (select 1 from held) and (select done from flushed) as held,
           a.status, a.result, a.error_code as "errorCode",
           (select role from actor) as role, coalesce((select role = any (${roles}) from actor), false) as permitted,
           (select count(*) from audited) as audited,
           ${differsFrom(lane, intent)} as differs
      from (select 1) one left join actions a on a.action_id = ${actionId}`;
  if (!row?.held) return { kind: 'lost' };
  if (row.claimed) return { kind: 'claimed' };
  if (row.differs.length > 0) throw taken(tool, row.differs);
  const { status, result, errorCode } = row;
  const isOver = status !== null && status !== 'started';
  if (!row.permitted && !isOver) return { kind: 'denied', role: row.role };
  // The freeze or the grant changed after the decision.
  if (status === null && !(await hasRow(db)`select 1 from actions where action_id = ${actionId}`))
    return { kind: 'stopped' };
  // Another transaction inserted the row just now, and the snapshot of this statement does not show it yet.
  return { kind: 'earlier', action: { status: status ?? 'unknown', result, errorCode } };
}

/**
 * Records the outcome of an action with its audit events; `isOutside` marks its conversation as tainted by outside text. A settled
 * outcome is final, except that a look-up (`isLookedUp`) may settle an unknown outcome.
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
    readonly isOutside?: boolean;
  },
): Promise<void> {
  await db.query(prepareSql('action_settle')`with settled as (
             update actions set status = ${outcome.status}, result = ${JSON.stringify(outcome.result ?? null)},
               error_code = ${outcome.errorCode}, settled_at = now()
              where action_id = ${actionId}
                and (status = 'started' or ${outcome.isLookedUp ?? false} and status = 'unknown' and ${outcome.status} <> 'unknown')
                returning 1),
             tainted as (select taint_thread(thread_id, tool, clock_timestamp()) from actions
              where action_id = ${actionId} and ${outcome.isOutside ?? false})
           select (select audit_append(${buildAuditJson(outcome.events)}::jsonb) from settled), (select count(*) from tainted)`);
}

/**
 * Stores an action that does not run now, because it waits for a person or was denied. False when the ledger already has the action.
 * Throws LANE_LOST and ACTION_ID_TAKEN.
 */
export async function putAction(
  db: Queryable,
  lane: Lane,
  intent: Omit<ActionIntent, 'roles' | 'events' | 'grantId'>,
  status: 'waiting' | 'denied',
): Promise<boolean> {
  const isNew = await hasRow(db)`
    with held as (${selectHeldLane(lane)})
    insert into actions (${STORED}, status) select ${storedOf(lane, intent)}, ${status} from held on conflict (action_id) do nothing`;
  if (isNew) return true;
  if (!(await hasAction(db, lane, intent))) throw new AppError('LANE_LOST', { userKey: lane.userKey });
  return false;
}

/**
 * Stores a finished read of private data, which marks the thread. A repeated read replaces the result and keeps the
 * marks. Throws LANE_LOST and ACTION_ID_TAKEN.
 */
export async function recordRead(
  db: Queryable,
  lane: Lane,
  intent: Omit<ActionIntent, 'roles' | 'events' | 'grantId'>,
  result: unknown,
): Promise<void> {
  const isNoted = await hasRow(db)`
    with held as (${selectHeldLane(lane)})
    insert into actions as a (${STORED}, status, result, started_at, settled_at)
    select ${storedOf(lane, intent)}, 'done', ${JSON.stringify(result ?? null)}::jsonb, now(), now() from held
    on conflict (action_id) do update
       set result = excluded.result, marks = (select array_agg(distinct m) from unnest(a.marks || excluded.marks) m)
     where cardinality(${differsFrom(lane, intent)}) = 0`;
  if (isNoted) return;
  await hasAction(db, lane, intent);
  throw new AppError('LANE_LOST', { userKey: lane.userKey });
}

/** Effects of a turn up to now. */
export interface TurnEffects {
  /** Ids of the actions that had an effect, or may have had one. */
  readonly effects: readonly string[];
  /** First lines of actions whose outcome is unknown, so that people are asked to check. */
  readonly unclear: readonly string[];
}

/** Reads the effects of all runs of a message's turn and, if the message is a decision, of the decided action. */
export async function readTurnEffects(
  db: Queryable,
  userKey: string,
  message: { readonly turnKey: string; readonly actionId: string | null },
): Promise<TurnEffects> {
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
 * Lists and locks a person's started actions that no turn will finish when this message is given up, so that the caller can settle them.
 * Leaves out actions whose decision is still to be carried out. Empty when the lane was lost.
 */
export function listAbandonedActions(db: Queryable, lane: Lane, inboxId: number) {
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
