import type { ServiceKey } from '@signalbox/contracts/operations/deploy';
import { FINAL_STATES } from '@signalbox/store/deploy/deployments-rows';
import type { Queryable } from '@signalbox/store/pool';
import { findValue, hasRow } from '@signalbox/store/sql';

export interface ServingDeployment extends ServiceKey {
  readonly deploymentId: string;
}

/** Locks a service until the transaction ends, as a deployment does at its start. False when another deployment serves. */
export async function lockService(
  db: Queryable,
  { project, environment, deploymentId }: ServingDeployment,
): Promise<boolean> {
  return hasRow(db)`select 1 from services where project = ${project}
      and environment = ${environment} and serving = ${deploymentId} for update`;
}

/** Takes a new epoch of a locked service. Null while a deployment is in progress. */
export async function takeEpoch(db: Queryable, { project, environment }: ServiceKey): Promise<number | null> {
  return findValue<number>(db)`
    update services set fence = fence + 1, updated_at = clock_timestamp()
      where project = ${project} and environment = ${environment}
        and not exists (select 1 from deployments d where d.project = ${project} and d.environment = ${environment}
          and d.state not in ${FINAL_STATES})
     returning fence::float8 as epoch`;
}
