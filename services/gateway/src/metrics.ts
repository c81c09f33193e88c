import { createCounter, createHistogram } from '@signalbox/platform/metrics';
import type { createMetrics } from '@signalbox/platform/probe';

export type GatewayMetrics = ReturnType<typeof createGatewayMetrics>;

export function createGatewayMetrics(registry: ReturnType<typeof createMetrics>) {
  return {
    /** Results: accepted, refused, answered, duplicate, ignored, unread, failed. */
    updates: createCounter(registry, 'signalbox_updates_total', 'Updates by result.', ['result', 'reason']),
    /** Results: sent, edited, or the kind of failure. */
    sends: createCounter(registry, 'signalbox_sends_total', 'Calls that show a person something, by result.', [
      'result',
    ]),
    /** Results: shown, or why not. */
    drafts: createCounter(registry, 'signalbox_drafts_total', 'Drafts given to the channel, by result.', ['result']),
    /** Results: admitted, unreadable, not-stored, or the refusal. */
    webhook: createCounter(registry, 'signalbox_webhook_requests_total', 'Requests to the webhook by result.', [
      'result',
    ]),
    requests: createCounter(registry, 'signalbox_http_requests_total', 'Requests to the public server.', [
      'path',
      'result',
    ]),
    swept: createCounter(registry, 'signalbox_swept_chats_total', 'Chats that the sweeper had to wake.', []),
    latency: createHistogram(registry, 'signalbox_send_seconds', 'From outbox row to delivery.', ['result']),
  };
}
