import { endApproval } from '../governance/approvals.ts';
import { withTransaction, type Pool, type Queryable } from '../pool.ts';
import { findValue, hasRow, listValues, readRow } from '../sql.ts';
import { RunStore } from '../turns/runs.ts';

/** Who cancels runs of the original, as the run says it. */
const BY_OPERATOR = 'operator';

/** The setting that marks a restored copy until it is activated. Services wait as long as it is there. */
export const RESTORED_COPY = 'restored_copy';

/** Returns the time of the backup from which this database was restored; null when it is no copy, is activated, or has no tables yet. */
export async function findRestoredCopy(db: Queryable): Promise<string | null> {
  const isKnown = await hasRow(db)`select from pg_proc where oid = to_regprocedure('restored_copy()')`;
  if (!isKnown) return null;
  return findValue<string>(db)`select to_char(restored_copy() at time zone 'UTC', 'YYYY-MM-DD HH24:MI "UTC"')`;
}

/** What the activation of a restored copy ended, and how many messages wait in it. */
export interface OpenedCopy {
  readonly requests: number;
  readonly runs: number;
  readonly messages: number;
}

/**
 * Lets services work with a restored copy. What the original may have gone on with is not done a second time: requests end, so that their
 * people ask again, and runs are cancelled as an operator cancels them. `note` writes in the transaction that lifts the mark. Null when
 * this database is no restored copy, or was activated before. Goes on where an earlier call was interrupted.
 */
export async function openCopy(
  pool: Pool,
  note: (db: Queryable, ended: OpenedCopy) => Promise<void>,
): Promise<OpenedCopy | null> {
  if ((await findRestoredCopy(pool)) === null) return null;
  const store = new RunStore(pool);
  const runs = await listValues<string>(pool)`
    select run_id from runs where status in ('queued', 'running') and user_key is not null order by run_id`;
  for (const runId of runs) await store.cancel(runId, BY_OPERATOR);
  return withTransaction(pool, async (db) => {
    const isLifted = await hasRow(db)`delete from settings where key = ${RESTORED_COPY}`;
    if (!isLifted) return null;
    // An approved request waits for its turn, and the original may have carried it out since the backup.
    const approved = await listValues<string>(db)`select approval_id from approvals where status = 'approved'`;
    for (const approvalId of approved) await endApproval(db, approvalId, { status: 'void', by: null, reason: null });
    const counted = await readRow<{ pending: number; messages: number }>(db)`
      with ended as (update approvals set expires_at = clock_timestamp() where status = 'pending' returning 1)
      select (select count(*)::int from ended) as pending,
             (select count(*)::int from inbox where outcome is null) as messages`;
    const ended = {
      requests: counted.pending + approved.length,
      runs: runs.length,
      messages: counted.messages,
    };
    await note(db, ended);
    return ended;
  });
}
