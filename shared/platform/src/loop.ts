import type { Closable } from './lifecycle.ts';
import type { Log } from './log.ts';
import { sleep } from '@signalbox/contracts/time';

/**
 * Repeats a step, with a pause of `everyMs` after each, until it is closed. A step that fails is logged and tried again at the
 * next round: whatever it does, the next round does too. Closing waits for the step that is under way.
 */
export function startLoop(options: {
  readonly name: string;
  readonly everyMs: number;
  readonly log: Log;
  readonly step: () => Promise<void>;
}): Closable {
  const stopping = new AbortController();
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await options.step().catch((error: unknown) => options.log.warn('round failed', { loop: options.name, error }));
      await sleep(options.everyMs, stopping.signal);
    }
  };
  const running = run();
  return {
    close: () => {
      stopping.abort();
      return running;
    },
  };
}
