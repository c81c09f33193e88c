import { createCounter, createGauge } from '@signalbox/platform/metrics';
import type { createMetrics } from '@signalbox/platform/probe';

/**
 * Outcomes of a request: served; unreached (no connection to the instance); unanswered (sent, but no response); silent (timed out); cut
 * (response broke off); left (client went away); refused (cannot be forwarded).
 */
export type RequestOutcome = 'served' | 'unreached' | 'unanswered' | 'silent' | 'cut' | 'left' | 'refused';

/** Counts requests by service and outcome. */
export function createProxyMetrics(registry: ReturnType<typeof createMetrics>) {
  const labels = ['target', 'outcome'];
  const requests = createCounter(
    registry,
    'signalbox_proxy_requests_total',
    'Requests by service and outcome.',
    labels,
  );
  const retries = createCounter(registry, 'signalbox_proxy_retries_total', 'Requests that were sent a second time.', [
    'target',
  ]);
  const listening = createGauge(registry, 'signalbox_proxy_listening', '1 while the port of a route is listened on.', [
    'target',
  ]);
  return {
    /** Sets the gauge that is 1 while the proxy listens on a route's port. */
    setListening: (target: string, isListening: boolean): void => listening.set({ target }, isListening ? 1 : 0),
    count: (target: string, outcome: RequestOutcome): void => requests.add({ target, outcome }),
    countRetry: (target: string): void => retries.add({ target }),
  };
}

export type ProxyMetrics = ReturnType<typeof createProxyMetrics>;
