import type { Closable } from './lifecycle.ts';
import type { Log } from './log.ts';
import { sleep } from '@signalbox/contracts/time';

/**
 * Repeats a step, with a pause of `everyMs` after each, until it is closed. A step that fails is tried again at the next round;
 * the first failure in a row is a warning. Closing waits for the step that is under way.
 */
export function startLoop(options: {
  readonly name: string;
  readonly everyMs: number;
  readonly log: Log;
  readonly step: () => Promise<void>;
}): Closable {
  const stopping = new AbortController();
  const run = async (): Promise<void> => {
    let isFailing = false;
    while (!stopping.signal.aborted) {
      try {
        await options.step();
        isFailing = false;
      } catch (error) {
        options.log[isFailing ? 'debug' : 'warn']('round failed', { loop: options.name, error });
        isFailing = true;
      }
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
