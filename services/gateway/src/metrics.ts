import { createCount, createDuration, type Count, type Duration } from '@signalbox/platform/metrics';
import type { createMetrics } from '@signalbox/platform/probe';

export interface GatewayMetrics {
  /** By result: accepted, refused, answered, duplicate, ignored, failed; and reason. */
  readonly updates: Count;
  /** By result: sent, edited, or the kind of failure. */
  readonly sends: Count;
  /** By result: shown, or why not. */
  readonly drafts: Count;
  /** Requests to the webhook by result: admitted, unreadable, not-stored, or why they were refused. */
  readonly webhook: Count;
  /** From the outbox row to the channel's answer, by result. */
  readonly latency: Duration;
}

/** Registers the gateway's own metrics. */
export function createGatewayMetrics(registry: ReturnType<typeof createMetrics>): GatewayMetrics {
  return {
    updates: createCount(registry, 'signalbox_updates_total', 'Updates by result.', ['result', 'reason']),
    sends: createCount(registry, 'signalbox_sends_total', 'Calls that show a person something, by result.', ['result']),
    drafts: createCount(registry, 'signalbox_drafts_total', 'Drafts given to the channel, by result.', ['result']),
    webhook: createCount(registry, 'signalbox_webhook_requests_total', 'Requests to the webhook by result.', [
      'result',
    ]),
    latency: createDuration(registry, 'signalbox_send_seconds', 'From outbox row to delivery.', ['result']),
  };
}
