import type { Role } from '../contracts/roles.ts';
import type { Lane } from './lane.ts';
import type { Queryable } from './pool.ts';

export interface ActionIntent {
  readonly actionId: string;
  readonly turnId: string;
  readonly threadId: string;
  readonly tool: string;
  readonly arguments: unknown;
  /** Roles that allow it. The person's role is looked at again here: an admin may have changed it while the turn ran. */
  readonly roles: readonly Role[];
}

export type ActionStatus = 'started' | 'done' | 'failed' | 'unknown';

/** What is known of an action that was begun before: by an earlier run of the same turn that died. */
export interface EarlierAction {
  readonly status: ActionStatus;
  readonly result: unknown;
  readonly errorCode: string | null;
}

/**
 * Writes the intent of an effect before it runs, only while the lane is held.
 * `claimed`: run it. `earlier`: it was begun before; this is what came of it. `lost`: another worker holds the lane; do nothing.
 * `denied`: the person's role, as it is now, does not allow it; nothing was written.
 */
export async function beginAction(
  db: Queryable,
  lane: Lane,
  intent: ActionIntent,
): Promise<
  | { readonly kind: 'claimed' }
  | { readonly kind: 'lost' }
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
  }>({
    name: 'action_begin',
    text: `with held as (select 1 from lanes where user_key = $2 and epoch = $3 and worker is not null for share),
           actor as (select role from users where user_key = $2 for share),
           mine as (
             insert into actions (action_id, turn_id, thread_id, user_key, tool, arguments, epoch, status)
             select $1, $4, $5, $2, $6, $7, $3, 'started' from held, actor where actor.role = any ($8)
             on conflict (action_id) do nothing returning 1)
           select exists (select 1 from mine) as claimed, exists (select 1 from held) as held, a.status, a.result, a.error_code,
                  (select role from actor) as role, coalesce((select role = any ($8) from actor), false) as permitted
             from (select 1) one left join actions a on a.action_id = $1`,
    values: [
      intent.actionId,
      lane.userKey,
      lane.epoch,
      intent.turnId,
      intent.threadId,
      intent.tool,
      JSON.stringify(intent.arguments ?? null),
      intent.roles,
    ],
  });
  const row = rows[0];
  if (!row || !row.held) return { kind: 'lost' };
  if (row.claimed) return { kind: 'claimed' };
  const isOver = row.status !== null && row.status !== 'started';
  if (!row.permitted && !isOver) return { kind: 'denied', role: row.role };
  // Not claimed and not visible cannot both be true for long: the row was inserted by a transaction that committed meanwhile.
  return {
    kind: 'earlier',
    action: { status: row.status ?? 'unknown', result: row.result, errorCode: row.error_code },
  };
}

/** Records what came of an action. The first settlement stands. */
export async function settleAction(
  db: Queryable,
  actionId: string,
  outcome: {
    readonly status: Exclude<ActionStatus, 'started'>;
    readonly result: unknown;
    readonly errorCode: string | null;
  },
): Promise<void> {
  await db.query({
    name: 'action_settle',
    text: `update actions set status = $2, result = $3, error_code = $4, settled_at = now() where action_id = $1 and status = 'started'`,
    values: [actionId, outcome.status, JSON.stringify(outcome.result ?? null), outcome.errorCode],
  });
}

/** What this turn has done so far, in the words that each tool has for people. */
export async function doneInTurn(db: Queryable, turnId: string): Promise<readonly string[]> {
  const { rows } = await db.query<{ say: string | null }>(
    `select result ->> 'say' as say from actions where turn_id = $1 and status = 'done' order by started_at, action_id`,
    [turnId],
  );
  return rows.flatMap((row) => row.say?.split('\n')[0] ?? []);
}
