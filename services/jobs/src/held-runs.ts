import type { createRuns, HeldRun } from '@signalbox/shared/db/runs';
import type { Closable } from '@signalbox/shared/lifecycle';
import type { Log } from '@signalbox/shared/log';
import { startLoop } from './loop.ts';

export interface HeldRuns extends Closable {
  /** Gives signs of life for this run until the returned function is called. `onLost` is called if another process took it. */
  hold(run: HeldRun, onLost: () => void): () => void;
}

/** A lease has room for three lost signs of life. */
const BEATS_PER_LEASE = 4;

/** Gives signs of life for everything that runs here, in one statement per beat. */
export function createHeldRuns(options: {
  readonly runs: Pick<ReturnType<typeof createRuns>, 'beat'>;
  readonly leaseMs: number;
  readonly log: Log;
}): HeldRuns {
  const held = new Map<string, { readonly run: HeldRun; readonly onLost: () => void }>();
  const beat = async (): Promise<void> => {
    if (held.size === 0) return;
    for (const runId of await options.runs.beat([...held.values()].map(({ run }) => run))) held.get(runId)?.onLost();
  };
  const loop = startLoop({ name: 'beat', everyMs: options.leaseMs / BEATS_PER_LEASE, log: options.log, step: beat });
  return {
    hold: (run, onLost) => {
      held.set(run.runId, { run, onLost });
      return () => void held.delete(run.runId);
    },
    close: loop.close,
  };
}
