import { appendAudit } from '@signalbox/store/audit/audit';
import { addNote } from '@signalbox/store/deploy/deployments';
import { withTransaction, type Pool, type Queryable } from '@signalbox/store/pool';
import { z } from 'zod';
import type { CrashLoop } from './crash-loop.ts';
import { lockServing, takeEpoch, type Serving } from './serving.ts';
import { findRow } from '@signalbox/store/sql';

/** What the event of a stop holds of the loop that it ended. */
const Stopped = z.object({ restarts: z.number(), withinMs: z.number() });

/** The crash loop for which this deployment was stopped for good; null when it was not. Another deployment begins with none. */
export async function findCrashStop(db: Queryable, deploymentId: string): Promise<CrashLoop | null> {
  const row = await findRow<{ loop: unknown }>(db)`select evidence -> 'crashLoop' as loop from deployment_events
      where deployment_id = ${deploymentId} and evidence ? 'crashLoop' order by n limit 1`;
  return row && { ...Stopped.parse(row.loop), isOver: true, isStopped: true };
}

/**
 * Writes down that what serves is stopped for its crash loop, before its program is ended: whoever dies in between, the next look ends
 * it. It takes the service as a deployment does, so that no run that was about to bring it back does. Twice is once. False when
 * something else serves by now or a deployment is under way, which has the last word.
 */
export function beginCrashStop(
  pool: Pool,
  serving: Serving,
  { restarts, withinMs }: Pick<CrashLoop, 'restarts' | 'withinMs'>,
): Promise<boolean> {
  return withTransaction(pool, async (db) => {
    const { deploymentId, project, environment } = serving;
    if (!(await lockServing(db, serving))) return false;
    if (await findCrashStop(db, deploymentId)) return true;
    const epoch = await takeEpoch(db, serving);
    if (epoch === null) return false;
    await addNote(db, deploymentId, { actor: 'system', epoch, evidence: { crashLoop: { restarts, withinMs } } });
    const data = { project, environment, deploymentId, restarts, withinMs };
    await appendAudit(db, [{ kind: 'service.crash_stopped', actor: 'system', actionId: deploymentId, data }]);
    return true;
  });
}
