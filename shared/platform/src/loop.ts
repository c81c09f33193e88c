import type { Closable } from './lifecycle.ts';
import type { Log } from './log.ts';

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
  let isStopping = false;
  let wake = (): void => undefined;
  // A timer of its own: idle services do little else than wait here, and a signal costs several times as much.
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
