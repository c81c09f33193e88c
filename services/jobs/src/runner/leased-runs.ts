import type { Runs, LeasedRun } from '@signalbox/store/conversation/runs';
import type { Closable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { SECOND_MS } from '@signalbox/contracts/time';
import { startLoop } from '@signalbox/platform/loop';

export interface LeasedRuns extends Closable {
  /**
   * Gives signs of life for this run until the returned function is called. `lost` is called if another process took it, and
   * `cancelled`, perhaps more than once, when nobody wants it any more.
   */
  hold(run: LeasedRun, on: { readonly lost: () => void; readonly cancelled: () => void }): () => void;
}

/** A lease has room for three lost signs of life. */
const BEATS_PER_LEASE = 4;
/** Whoever cancels a run sees it stop about this soon. */
const BEAT_MAX_MS = SECOND_MS;

/** Gives signs of life for everything that runs here, in one statement per beat. */
export function createLeasedRuns(options: {
  readonly runs: Pick<Runs, 'beat'>;
  readonly leaseMs: number;
  readonly log: Log;
}): LeasedRuns {
  const held = new Map<string, { readonly run: LeasedRun; readonly on: Parameters<LeasedRuns['hold']>[1] }>();
  const beat = async (): Promise<void> => {
    if (held.size === 0) return;
    const { lost, cancelled } = await options.runs.beat([...held.values()].map(({ run }) => run));
    for (const runId of lost) held.get(runId)?.on.lost();
    for (const runId of cancelled) held.get(runId)?.on.cancelled();
  };
  const everyMs = Math.min(options.leaseMs / BEATS_PER_LEASE, BEAT_MAX_MS);
  const loop = startLoop({ name: 'beat', everyMs, log: options.log, step: beat });
  return {
    hold: (run, on) => {
      held.set(run.runId, { run, on });
      return () => void held.delete(run.runId);
    },
    close: loop.close,
  };
}
