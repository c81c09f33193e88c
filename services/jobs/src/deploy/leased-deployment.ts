import { isFinalState, type DeployState } from '@signalbox/contracts/operations/deploy';
import type { FullDeploymentRow } from '@signalbox/store/deploy/deployments-rows';
import type { TransitionDetails } from './deployment-work.ts';
import { AppError } from '@signalbox/contracts/errors';
import { SECOND_MS } from '@signalbox/contracts/time';
import type { JobContext } from '../runner/handlers.ts';
import { Leases } from '@signalbox/store/leases';
import type { DeployDeps } from './deploy-deps.ts';

export class CancelRequested extends Error {
  readonly by: string;

  constructor(by: string) {
    super('the deployment is to be cancelled');
    this.name = 'CancelRequested';
    this.by = by;
  }
}

/** Thrown when another worker has claimed the deployment, so that this worker must not write any more. */
class DeploymentLost extends Error {
  constructor() {
    super('another worker has taken the deployment');
    this.name = 'DeploymentLost';
  }
}

const WATCH_MS = 400;

/** Holds the lease of a claimed deployment: checks its epoch twice a second, and aborts when another worker has claimed it. */
export async function leaseDeployment(
  parts: Pick<DeployDeps, 'work' | 'limits'>,
  claimed: { readonly deploymentId: string; readonly epoch: number },
  context: Pick<JobContext, 'signal' | 'log'>,
) {
  const { work, limits } = parts;
  const { deploymentId, epoch } = claimed;
  const lost = new AbortController();
  const requested = new AbortController();
  const read = async (): Promise<FullDeploymentRow> => {
    const row = await work.find(deploymentId);
    if (row?.epoch !== epoch) lost.abort(new DeploymentLost());
    if (!row || lost.signal.aborted) throw new DeploymentLost();
    readAt = performance.now();
    return row;
  };
  let readAt = 0;
  let row = await read();
  const leases = new Leases({
    name: 'deployment',
    everyMs: WATCH_MS,
    log: context.log,
    heartbeat: async () => {
      const { isOurs, cancelAt, cancelBy } = await work.watch(deploymentId, epoch);
      if (cancelAt !== null) requested.abort(new CancelRequested(cancelBy ?? 'system'));
      return isOurs ? [] : [deploymentId];
    },
  });
  leases.hold(deploymentId, { lost: () => lost.abort(new DeploymentLost()) });
  await leases.heartbeat();

  return {
    epoch,
    /** Returns the row of the deployment, as this process last read or wrote it. */
    row: (): FullDeploymentRow => row,
    state: (): DeployState => row.state,
    ageMs: (): number => row.ageMs + performance.now() - readAt,
    refresh: async (): Promise<FullDeploymentRow> => (row = await read()),
    /** Moves to a state and stores the evidence. Throws DeploymentLost, or CancelRequested instead of a switch that was canceled. */
    async advance(
      to: DeployState,
      evidence: TransitionDetails['evidence'],
      more: Partial<Pick<TransitionDetails, 'actor' | 'change' | 'serving' | 'errors'>> = {},
    ): Promise<void> {
      const from = row.state;
      const limitMs = isFinalState(to) ? null : getStateTimeout(limits, to, row);
      const step: TransitionDetails = { actor: 'system', evidence, limitMs, ...more };
      if (!(await work.advance(deploymentId, { epoch, from, to }, step))) {
        await leases.heartbeat();
        requested.signal.throwIfAborted();
        lost.abort(new DeploymentLost());
        throw new DeploymentLost();
      }
      context.log.info('deployment moved', { deploymentId, from, to, epoch });
      row = await read();
    },
    /**
     * Runs a step with a time limit. Its signal aborts at the limit (STEP_TOO_SLOW), when the deployment is lost, when the process stops,
     * and on a cancel request if `isCancellable`. `stop` aborts the step for another reason.
     */
    async within<T>(
      { limitMs, isCancellable }: { readonly limitMs: number; readonly isCancellable: boolean },
      run: (signal: AbortSignal, stop: (reason: Error) => void) => Promise<T>,
    ): Promise<T> {
      const stopped = new AbortController();
      const step = row.state.replace('_', ' ');
      const slow = new AppError('STEP_TOO_SLOW', { step, seconds: String(Math.round(limitMs / SECOND_MS)) });
      const timer = setTimeout(() => stopped.abort(slow), limitMs);
      const ends = [stopped.signal, lost.signal, context.signal, ...(isCancellable ? [requested.signal] : [])];
      try {
        const signal = AbortSignal.any(ends);
        signal.throwIfAborted();
        return await run(signal, (reason) => stopped.abort(reason));
      } finally {
        clearTimeout(timer);
      }
    },
    close: (): Promise<void> => leases.close(),
  };
}

export type LeasedDeployment = Awaited<ReturnType<typeof leaseDeployment>>;

export function getStateTimeout(
  limits: DeployDeps['limits'],
  state: DeployState,
  row: Pick<FullDeploymentRow, 'file'>,
): number {
  switch (state) {
    case 'building':
      return limits.buildingMs;
    case 'starting':
      return limits.startingMs;
    case 'health_checking':
      // The health check has a time limit of its own; this one is for a server that does not answer.
      return (row.file?.health.withinSeconds ?? 30) * SECOND_MS + limits.startingMs;
    case 'switching':
      return limits.switchingMs;
    case 'verifying':
      return limits.verifyingMs;
    case 'draining':
      return 2 * (row.file?.drainSeconds ?? 10) * SECOND_MS + limits.undoingMs;
    case 'failing':
    case 'cancelling':
      return limits.undoingMs;
    case 'unknown':
      return limits.unknownMs;
    default:
      return limits.preparingMs;
  }
}
