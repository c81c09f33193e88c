import type { ServiceKey } from '@signalbox/contracts/operations/deploy';
import { addEvent } from '@signalbox/store/deploy/deployments';
import type { DeploymentRow } from '@signalbox/store/deploy/deployments-rows';
import type { Queryable } from '@signalbox/store/pool';

/** The deployment that serves, or should. */
export interface Serving extends ServiceKey {
  readonly deploymentId: string;
}

/** An event that changes no state: the deployment had ended, and what became of what it started is written down. */
export async function note(
  db: Queryable,
  deploymentId: string,
  fence: number,
  evidence: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { rows } = await db.query<Pick<DeploymentRow, 'state'>>(
    `select state from deployments where deployment_id = $1 for update`,
    [deploymentId],
  );
  const [row] = rows;
  if (row) await addEvent(db, deploymentId, { from: row.state, to: row.state, actor: 'system', fence, evidence });
}
