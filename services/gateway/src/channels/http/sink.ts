import { once } from 'node:events';
import type { ChannelListener } from '../channel.ts';

/** Passes updates from a channel's routes to one listener at a time. */
export function createUpdateSink<Take>() {
  let current: Take | null = null;
  return {
    /** The listener; null while nobody listens. */
    current: (): Take | null => current,
    /** Makes `take` the current listener, until the returned function is called or another attaches. */
    attach(take: Take): () => void {
      current = take;
      return () => void (current = current === take ? null : current);
    },
  };
}

/** Builds the `listen` result of a channel whose routes feed a sink. `meet` runs until the signal fires; its failure ends listening. */
export function startAttachedListener(attached: {
  readonly detach: () => void;
  readonly problem: () => string | null;
  readonly meet?: (signal: AbortSignal) => Promise<void>;
}): ChannelListener {
  const { detach, problem, meet } = attached;
  const stop = new AbortController();
  const run = async (): Promise<void> => {
    await meet?.(stop.signal);
    if (!stop.signal.aborted) await once(stop.signal, 'abort');
  };
  const ended = run();
  // The service awaits `ended` too; this prevents an unhandled rejection meanwhile.
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
