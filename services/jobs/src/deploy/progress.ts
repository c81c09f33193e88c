import type { Closable } from '@signalbox/platform/lifecycle';
import { SECOND_MS } from '@signalbox/contracts/time';
import { startLoop } from '@signalbox/platform/loop';
import { describeEnded, describeProgress } from './words.ts';
import type { WorkRow } from '@signalbox/store/deploy/deployments-rows';
import type { JobContext } from '../runner/handlers.ts';
import type { DeploymentSession } from './deployment-session.ts';

/** Minimum interval between edits, and interval of edits for the elapsed time. */
const EDIT_MS = SECOND_MS;
const TICK_MS = 5 * SECOND_MS;
const LOOK_MS = 200;

/** Writes the final progress message of a deployment that has ended or is left by its job. */
export async function endProgress(row: WorkRow, context: Pick<JobContext, 'tell' | 'log'>): Promise<void> {
  await context
    .tell(describeEnded(row), { slot: 'deploy', isLast: true })
    .catch((error: unknown) => context.log.warn('end of progress not told', { error }));
}

/** Keeps one progress message of the chat up to date: an edit per state, and now and then for the elapsed time. */
export function startProgress(session: Pick<DeploymentSession, 'held' | 'context'>): Closable {
  const { held, context } = session;
  let said = '';
  let saidAt = Number.NEGATIVE_INFINITY;
  const step = async (): Promise<void> => {
    const row = held.row();
    const sinceMs = performance.now() - saidAt;
    if (sinceMs < TICK_MS && (row.state === said || sinceMs < EDIT_MS)) return;
    said = row.state;
    saidAt = performance.now();
    // A failed message must not fail the deployment.
    await context
      .tell(describeProgress(row, held.ageMs()), { slot: 'deploy' })
      .catch((error: unknown) => context.log.warn('progress not told', { error }));
  };
  return startLoop({ name: 'progress', everyMs: LOOK_MS, log: context.log, step });
}
