import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { computeBackoffMs } from '@signalbox/contracts/time';
import type { RemoteSettings } from '../settings.ts';

/** Lets calls to one provider's key through, as many as it takes. All workers share it. */
export interface ModelGate {
  /** Resolves with a permit; null when the wait would be longer than the patience. Throws the signal's reason. */
  enter(call: {
    readonly person: string;
    readonly signal: AbortSignal;
    readonly patienceMs: number;
    readonly isBack: boolean;
    readonly onWait: (before: number | null) => void;
  }): Promise<ModelPermit | null>;
}

export interface ModelPermit {
  leave(): void;
  /** The provider limited the rate: nobody calls it for `pauseMs`. Missing when no gate knows of other calls. */
  refuse?(pauseMs: number): Promise<void>;
}

const BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 20_000;

/** For whom models are called. */
export interface ModelCaller {
  readonly userKey: string;
  /** Called with the number of calls before this one while a call waits long, and with null when it is made. */
  readonly onWait: (before: number | null) => void;
  /** W3C's header `traceparent` of the requests; null when nothing is traced. */
  readonly traceparent?: string | null;
}

const callers = new AsyncLocalStorage<ModelCaller>();
const NOBODY: ModelCaller = { userKey: '', onWait: () => undefined };

/** Runs work whose model calls wait as this person's. */
export function runAsCaller<T>(caller: ModelCaller, work: () => Promise<T>): Promise<T> {
  return callers.run(caller, work);
}

/** Returns the headers by which a model server's spans join the caller's trace. */
export function listTraceHeaders(): Readonly<Record<string, string>> {
  const { traceparent } = callers.getStore() ?? NOBODY;
  return traceparent ? { traceparent } : {};
}

/** Creates the way of one call, with all its tries, through a gate. Without a gate every try is let through. */
export function createGateEntry(
  gate: ModelGate | undefined,
  call: { readonly signal: AbortSignal; readonly patienceMs?: number; readonly deadlineMs: number },
) {
  const endMs = performance.now() + call.deadlineMs;
  let waitedMs = 0;
  let tries = 0;
  return {
    /** The time of all waits, in which no model was asked. */
    waitedMs: () => waitedMs,
    /** Returns a permit; null when no more time is left to wait for one. Throws the signal's reason. */
    async enter(): Promise<ModelPermit | null> {
      if (!gate) return { leave: () => undefined };
      const { userKey: person, onWait } = callers.getStore() ?? NOBODY;
      const askedAt = performance.now();
      const patienceMs = Math.min((call.patienceMs ?? call.deadlineMs) - waitedMs, endMs - askedAt);
      const { signal } = call;
      const permit = await gate.enter({ person, signal, patienceMs, isBack: tries > 0, onWait });
      waitedMs += performance.now() - askedAt;
      tries += 1;
      if (!permit) return null;
      const refuse = (askedMs: number): Promise<void> | undefined =>
        permit.refuse?.(Math.max(askedMs, computeBackoffMs(tries - 1, BACKOFF_MS, MAX_BACKOFF_MS)));
      return { leave: permit.leave, refuse: async (ms) => refuse(ms) };
    },
  };
}

/** Names the limits of a provider: models on one server with one key share them. The key itself cannot be read from it. */
export function nameGate({ provider, baseURL, apiKey }: RemoteSettings): string {
  const hash = createHash('sha256').update(JSON.stringify([provider.id, baseURL, apiKey]));
  return `${provider.id}:${hash.digest('hex').slice(0, 16)}`;
}
