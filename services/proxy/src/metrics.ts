import { createCount } from '@signalbox/shared/metrics';
import type { createMetrics } from '@signalbox/shared/probe';

/**
 * What became of a request: served; unreached (no instance answered the door), unanswered (it was sent and nothing came back),
 * silent (nothing came in time), cut (the answer broke off), left (the client went away first), refused (nothing we can pass on).
 */
export type Outcome = 'served' | 'unreached' | 'unanswered' | 'silent' | 'cut' | 'left' | 'refused';

export interface ProxyMetrics {
  /** Counts one request of a service. */
  count(service: string, outcome: Outcome): void;
  /** Counts one connection attempt that was made again. */
  retried(service: string): void;
}

/** Counts requests by service and outcome. */
export function createProxyMetrics(registry: ReturnType<typeof createMetrics>): ProxyMetrics {
  const labels = ['target', 'outcome'];
  const requests = createCount(registry, 'signalbox_proxy_requests_total', 'Requests by service and outcome.', labels);
  const retries = createCount(registry, 'signalbox_proxy_retries_total', 'Requests that were sent a second time.', [
    'target',
  ]);
  return {
    count: (target, outcome) => requests.add({ target, outcome }),
    retried: (target) => retries.add({ target }),
  };
}
