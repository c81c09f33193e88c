import { SECOND_MS } from '@signalbox/contracts/time';
import { Leases } from '@signalbox/platform/leases';
import type { Log } from '@signalbox/platform/log';
import type { LeasedRun, Runs } from '@signalbox/store/turns/runs';

/** A run that is worked on here. */
interface HeldRun {
  readonly run: LeasedRun;
  /** Another process took it. */
  readonly lost: () => void;
  /** Nobody wants it any more; called perhaps more than once. */
  readonly cancelled: () => void;
}

export type LeasedRuns = Leases<HeldRun>;

/** A lease has room for three lost beats. */
const BEATS_PER_LEASE = 4;
/** Whoever cancels a run sees it stop about this soon. */
const BEAT_MAX_MS = SECOND_MS;

/** The runs that run here. */
export function createLeasedRuns(options: {
  readonly runs: Pick<Runs, 'beat'>;
  readonly leaseMs: number;
  readonly log: Log;
}): LeasedRuns {
  const leases: LeasedRuns = new Leases({
    name: 'runs',
    everyMs: Math.min(options.leaseMs / BEATS_PER_LEASE, BEAT_MAX_MS),
    log: options.log,
    heartbeat: async (held) => {
      const { lost, cancelled } = await options.runs.beat(held.map(({ run }) => run));
      for (const runId of cancelled) leases.get(runId)?.cancelled();
      return lost;
    },
    onLost: (held) => held.lost(),
  });
  return leases;
}
