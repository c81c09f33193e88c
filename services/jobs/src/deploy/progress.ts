import type { Closable } from '@signalbox/platform/lifecycle';
import { SECOND_MS } from '@signalbox/contracts/time';
import { startLoop } from '@signalbox/platform/loop';
import { describeEnded, describeProgress } from './words.ts';
import type { WorkRow } from '@signalbox/store/deploy/deployments-rows';
import type { JobContext } from '../runner/handlers.ts';
import type { DeploymentSession } from './deployment-session.ts';

/** Messages may be edited this often, and the time that has passed is worth an edit this often. */
const EDIT_MS = SECOND_MS;
const TICK_MS = 5 * SECOND_MS;
const LOOK_MS = 200;

/** The state in which the message of a deployment stays: it has ended, or no job works on it for now. */
export async function endProgress(row: WorkRow, context: Pick<JobContext, 'tell' | 'log'>): Promise<void> {
  await context
    .tell(describeEnded(row), { slot: 'deploy', isLast: true })
    .catch((error: unknown) => context.log.warn('end of progress not told', { error }));
}

/** Keeps one message of the chat in step with the deployment: an edit for each new state, and now and then for the time. */
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
    // No deployment fails because a message could not be written.
    await context
      .tell(describeProgress(row, held.ageMs()), { slot: 'deploy' })
      .catch((error: unknown) => context.log.warn('progress not told', { error }));
  };
  return startLoop({ name: 'progress', everyMs: LOOK_MS, log: context.log, step });
}
