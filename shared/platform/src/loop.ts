import type { Closable } from './lifecycle.ts';
import type { Log } from './log.ts';

/**
 * Repeats a step with a pause of `everyMs` after each, until closed. A failed step is retried in the next round; the
 * first failure in a row is logged as a warning. `close` waits for the running step.
 */
export function startLoop(options: {
  readonly name: string;
  readonly everyMs: number;
  readonly log: Log;
  readonly step: () => Promise<void>;
}): Closable {
  let isStopping = false;
  let wake = (): void => undefined;
  // A timer without an abort signal, because idle services mostly wait here and a signal costs several times as much.
  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, options.everyMs);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const run = async (): Promise<void> => {
    let isFailing = false;
    while (!isStopping) {
      try {
        await options.step();
        isFailing = false;
      } catch (error) {
        options.log[isFailing ? 'debug' : 'warn']('round failed', { loop: options.name, error });
        isFailing = true;
      }
      if (!isStopping) await pause();
    }
  };
  const running = run();
  return {
    close: () => {
      isStopping = true;
      wake();
      return running;
    },
  };
}
