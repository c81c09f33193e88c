import { appendAudit } from '@signalbox/store/audit/audit';
import { FINAL_STATES } from '@signalbox/store/deploy/deployments-rows';
import { withTransaction, type Pool, type Queryable } from '@signalbox/store/pool';
import { z } from 'zod';
import type { CrashLoop } from './crash-loop.ts';
import { note, type Serving } from './deployment-note.ts';

/** What the event of a stop holds of the loop that it ended. */
const Stopped = z.object({ restarts: z.number(), withinMs: z.number() });

/** The crash loop for which this deployment was stopped for good; null when it was not. Another deployment begins with none. */
export async function findCrashStop(db: Queryable, deploymentId: string): Promise<CrashLoop | null> {
  const { rows } = await db.query<{ loop: unknown }>(
    `select evidence -> 'crashLoop' as loop from deployment_events
      where deployment_id = $1 and evidence ? 'crashLoop' order by n limit 1`,
    [deploymentId],
  );
  if (rows.length === 0) return null;
  return { ...Stopped.parse(rows[0]?.loop), isOver: true, isStopped: true };
}

/**
 * Writes down that what serves is stopped for its crash loop, before its program is ended: whoever dies in between, the next look ends
 * it. It takes the service as a deployment does, so that no run that was about to bring it back does. Twice is once. False when
 * something else serves by now or a deployment is under way, which has the last word.
 */
export function beginCrashStop(
  pool: Pool,
  { deploymentId, project, environment }: Serving,
  { restarts, withinMs }: Pick<CrashLoop, 'restarts' | 'withinMs'>,
): Promise<boolean> {
  return withTransaction(pool, async (db) => {
    const { rowCount } = await db.query(
      `select 1 from services where project = $1 and environment = $2 and serving = $3 for update`,
      [project, environment, deploymentId],
    );
    if (rowCount === 0) return false;
    if (await findCrashStop(db, deploymentId)) return true;
    const { rows } = await db.query<{ fence: number }>(
      `update services set fence = fence + 1, updated_at = clock_timestamp()
        where project = $1 and environment = $2
          and not exists (select 1 from deployments d where d.project = $1 and d.environment = $2 and d.state not in ${FINAL_STATES})
       returning fence::float8 as fence`,
      [project, environment],
    );
    const [row] = rows;
    if (!row) return false;
    await note(db, deploymentId, row.fence, { crashLoop: { restarts, withinMs } });
    const data = { project, environment, deploymentId, restarts, withinMs };
    await appendAudit(db, [{ kind: 'service.crash_stopped', actor: 'system', actionId: deploymentId, data }]);
    return true;
  });
}
