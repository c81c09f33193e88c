import { appendAudit } from '@signalbox/store/audit/audit';
import { addNote } from '@signalbox/store/deploy/deployments';
import { withTransaction, type Pool, type Queryable } from '@signalbox/store/pool';
import { z } from 'zod';
import type { CrashLoop } from './crash-loop.ts';
import { lockService, takeEpoch, type ServingDeployment } from './serving.ts';
import { findRow } from '@signalbox/store/sql';

const Stopped = z.object({ restarts: z.number(), withinMs: z.number() });

/** Finds the crash loop for which a deployment was stopped; null when it was not stopped. */
export async function findCrashStop(db: Queryable, deploymentId: string): Promise<CrashLoop | null> {
  const row = await findRow<{ loop: unknown }>(db)`select evidence -> 'crashLoop' as loop from deployment_events
      where deployment_id = ${deploymentId} and evidence ? 'crashLoop' order by n limit 1`;
  return row && { ...Stopped.parse(row.loop), isOver: true, isStopped: true };
}

/** Records a stop before it happens, and takes an epoch. Idempotent. False when another deployment serves or runs. */
export function beginCrashStop(
  pool: Pool,
  serving: ServingDeployment,
  { restarts, withinMs }: Pick<CrashLoop, 'restarts' | 'withinMs'>,
): Promise<boolean> {
  return withTransaction(pool, async (db) => {
    const { deploymentId, project, environment } = serving;
    if (!(await lockService(db, serving))) return false;
    if (await findCrashStop(db, deploymentId)) return true;
    const epoch = await takeEpoch(db, serving);
    if (epoch === null) return false;
    await addNote(db, deploymentId, { actor: 'system', epoch, evidence: { crashLoop: { restarts, withinMs } } });
    const data = { project, environment, deploymentId, restarts, withinMs };
    await appendAudit(db, [{ kind: 'service.crash_stopped', actor: 'system', actionId: deploymentId, data }]);
    return true;
  });
}
