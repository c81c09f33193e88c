import { createCount, createLevel } from '@signalbox/platform/metrics';
import type { createMetrics } from '@signalbox/platform/probe';

/**
 * What became of a request: served; unreached (no instance answered the door), unanswered (it was sent and nothing came back),
 * silent (nothing came in time), cut (the answer broke off), left (the client went away first), refused (nothing we can pass on).
 */
export type Outcome = 'served' | 'unreached' | 'unanswered' | 'silent' | 'cut' | 'left' | 'refused';

/** Counts requests by service and outcome. */
export function createProxyMetrics(registry: ReturnType<typeof createMetrics>) {
  const labels = ['target', 'outcome'];
  const requests = createCount(registry, 'signalbox_proxy_requests_total', 'Requests by service and outcome.', labels);
  const retries = createCount(registry, 'signalbox_proxy_retries_total', 'Requests that were sent a second time.', [
    'target',
  ]);
  const listening = createLevel(registry, 'signalbox_proxy_listening', '1 while the port of a route is listened on.', [
    'target',
  ]);
  return {
    /** Says whether the port of a service's route is listened on. */
    listens: (target: string, isSo: boolean): void => listening.set({ target }, isSo ? 1 : 0),
    /** Counts one request of a service. */
    count: (target: string, outcome: Outcome): void => requests.add({ target, outcome }),
    /** Counts one connection attempt that was made again. */
    retried: (target: string): void => retries.add({ target }),
  };
}

export type ProxyMetrics = ReturnType<typeof createProxyMetrics>;
