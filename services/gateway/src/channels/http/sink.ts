import { once } from 'node:events';
import type { Listening } from '../channel.ts';

/** Where a channel's routes hand over what requests bring: to one listener at a time. */
export function createSink<Take>() {
  let current: Take | null = null;
  return {
    /** Null while nobody listens. */
    current: (): Take | null => current,
    /** Hands what comes to `take`, until the returned function is called or somebody else attaches. */
    attach(take: Take): () => void {
      current = take;
      return () => void (current = current === take ? null : current);
    },
  };
}

/**
 * What a channel answers to `listen` that has attached itself to its routes. `meet` runs meanwhile, until the signal fires; when it
 * rejects, no update comes in until it listens anew.
 */
export function listenAttached(attached: {
  readonly detach: () => void;
  readonly problem: () => string | null;
  readonly meet?: (signal: AbortSignal) => Promise<void>;
}): Listening {
  const { detach, problem, meet } = attached;
  const stop = new AbortController();
  const run = async (): Promise<void> => {
    await meet?.(stop.signal);
    if (!stop.signal.aborted) await once(stop.signal, 'abort');
  };
  const ended = run();
  // The service awaits `ended` too; this keeps an early failure from being unhandled meanwhile.
  ended.catch(() => undefined);
  return {
    ended,
    problem,
    close: async () => {
      stop.abort();
      detach();
      await ended.catch(() => undefined);
    },
  };
}
