import { SECOND_MS } from '@signalbox/contracts/time';
import { Leases } from '@signalbox/store/leases';
import type { Log } from '@signalbox/platform/log';
import type { LeasedRun, RunStore } from '@signalbox/store/turns/runs';

interface HeldRun extends LeasedRun {
  /** Called when another process took the run. */
  readonly lost: () => void;
  /** Called when the run is cancelled; possibly more than once. */
  readonly cancelled: () => void;
}

export type LeasedRuns = Leases<HeldRun>;

/** Heartbeats per lease: a lease survives three lost heartbeats. */
const BEATS_PER_LEASE = 4;
/** Maximum time between heartbeats, after which a cancelled run stops. */
const BEAT_MAX_MS = SECOND_MS;

/** Starts the heartbeat of the runs of this process, which also learns of cancellations. */
export function createLeasedRuns(options: {
  readonly runs: Pick<RunStore, 'beat'>;
  readonly leaseMs: number;
  readonly log: Log;
}): LeasedRuns {
  return new Leases({
    name: 'runs',
    everyMs: Math.min(options.leaseMs / BEATS_PER_LEASE, BEAT_MAX_MS),
    log: options.log,
    heartbeat: async (held) => {
      const { lost, cancelled } = await options.runs.beat([...held.values()]);
      for (const runId of cancelled) held.get(runId)?.cancelled();
      return lost;
    },
  });
}
