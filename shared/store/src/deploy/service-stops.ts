import { formatServiceName, type ServiceKey } from '@signalbox/contracts/operations/deploy';
import { AppError } from '@signalbox/contracts/errors';
import { addNote, findOpenDeployment } from './deployments.ts';
import { createUnderWayError, FINAL_STATES } from './deployments-rows.ts';
import { withTransaction, type Pool, type Queryable } from '../pool.ts';
import { findValue, hasRow, sql } from '../sql.ts';

/**
 * Creates access to stops of services. Each run chooses its deployment once and records it in the deployment's events, so that a retry
 * after a crash continues with the same deployment.
 */
export function createServiceStopStore(pool: Pool) {
  return {
    /**
     * Begins a stop: from now on no release serves, and workers of earlier deployments cannot change that. Returns the deployment to end,
     * and the epoch for removing the route; the epoch is null when only the deployment may remove the route. Idempotent per run. Throws
     * NOT_FOUND, DEPLOYMENT_UNDER_WAY, NOTHING_SERVES.
     */
    begin: (service: ServiceKey, runId: string, by: string) =>
      withTransaction(pool, (db) => begin(db, service, runId, by)),

    /** Records the end of the stop. Idempotent. */
    end: (
      deploymentId: string,
      runId: string,
      by: string,
      evidence: Readonly<Record<string, unknown>>,
    ): Promise<void> =>
      withTransaction(pool, async (db) => {
        const isKnown = await hasRow(db)`select 1 from deployment_events where deployment_id = ${deploymentId}
            and evidence ->> 'stopped' = ${runId}`;
        const note = { actor: by, epoch: null, evidence: { stopped: runId, ...evidence } };
        if (!isKnown) await addNote(db, deploymentId, note);
      }),
  };
}

export type ServiceStopStore = ReturnType<typeof createServiceStopStore>;

/**
 * Finds the deployment that the stop of this run ends. With a null run: the deployment that a new stop would end, which serves or has an
 * unfinished stop. Null when there is none.
 */
export async function findStoppable(
  db: Queryable,
  service: ServiceKey,
  runId: string | null,
): Promise<{ readonly deploymentId: string; readonly isBegun: boolean } | null> {
  const begun = runId === null ? null : await findStarted(db, service, runId);
  const deploymentId = begun ?? (await findServing(db, service));
  return deploymentId === null ? null : { deploymentId, isBegun: begun !== null };
}

function findStarted(db: Queryable, service: ServiceKey, runId: string): Promise<string | null> {
  return findValue<string>(db)`
    select e.deployment_id as id from deployment_events e join deployments d using (deployment_id)
      where d.project = ${service.project} and d.environment = ${service.environment} and e.evidence ->> 'stop' = ${runId}`;
}

function findServing(db: Queryable, service: ServiceKey): Promise<string | null> {
  return findValue<string>(db)`
    select d.deployment_id as id from deployments d join services v using (project, environment)
      where d.project = ${service.project} and d.environment = ${service.environment}
        and (d.deployment_id = v.serving or v.serving is null and d.state in ${FINAL_STATES}
        and exists (select 1 from port_allocations a where a.released_at is null and a.server = d.server and a.project = d.project
                       and a.service = 'instance:' || d.deployment_id))
      order by d.requested_at desc limit 1`;
}

async function begin(db: Queryable, service: ServiceKey, runId: string, by: string) {
  const isIt = sql`project = ${service.project} and environment = ${service.environment}`;
  // Locks the service row, as starting a deployment does.
  if (!(await hasRow(db)`select 1 from services where ${isIt} for update`))
    throw new AppError('NOT_FOUND', {
      kind: 'service',
      name: formatServiceName(service),
      known: 'those that were deployed',
    });
  const begun = await findStarted(db, service, runId);
  // A later deployment may have started since, and its epoch must stay the highest.
  if (begun !== null) return { deploymentId: begun, epoch: null };
  const open = await findOpenDeployment(db, service);
  if (open) throw createUnderWayError(open, new Date());
  const deploymentId = await findServing(db, service);
  if (deploymentId === null) throw new AppError('NOTHING_SERVES', { ...service, act: 'stop' });
  const epoch = await findValue<number>(db)`
    update services set serving = null, fence = fence + 1, updated_at = clock_timestamp()
     where ${isIt} returning fence::float8 as epoch`;
  await addNote(db, deploymentId, { actor: by, epoch, evidence: { stop: runId } });
  return { deploymentId, epoch };
}
