import { createCounter, createHistogram, listSeries } from '@signalbox/platform/metrics';
import type { createMetrics } from '@signalbox/platform/probe';

/** Series that exist before the first event; a refusal adds one with its reason. */
const UPDATE_RESULTS = ['accepted', 'merged', 'answered', 'duplicate', 'ignored'];
const SEND_RESULTS = ['sent', 'edited', 'pending', 'failed', 'undeliverable', 'undelivered', 'park', 'move', 'lost'];
const DRAFT_RESULTS = ['shown', 'wait', 'refused', 'unknown', 'failed'];

export type GatewayMetrics = ReturnType<typeof createGatewayMetrics>;

export function createGatewayMetrics(registry: ReturnType<typeof createMetrics>) {
  return {
    /** Results: accepted, refused, answered, duplicate, ignored, unread, failed. */
    updates: createCounter(registry, 'signalbox_updates_total', 'Updates by result.', ['result', 'reason'], {
      series: [...listSeries({ result: UPDATE_RESULTS, reason: [''] }), { result: 'failed', reason: 'not storable' }],
    }),
    /** Results: sent, edited, or the kind of failure. */
    sends: createCounter(
      registry,
      'signalbox_sends_total',
      'Calls that show a person something, by result.',
      ['result'],
      {
        series: listSeries({ result: SEND_RESULTS }),
      },
    ),
    /** Results: shown, or why not. */
    drafts: createCounter(registry, 'signalbox_drafts_total', 'Drafts given to the channel, by result.', ['result'], {
      series: listSeries({ result: DRAFT_RESULTS }),
    }),
    /** Results: admitted, unreadable, not-stored, or the refusal. */
    webhook: createCounter(
      registry,
      'signalbox_webhook_requests_total',
      'Requests to the webhook by result.',
      ['result'],
      {
        series: listSeries({ result: ['admitted', 'not-stored'] }),
      },
    ),
    requests: createCounter(registry, 'signalbox_http_requests_total', 'Requests to the public server.', [
      'path',
      'result',
    ]),
    swept: createCounter(registry, 'signalbox_swept_chats_total', 'Chats that the sweeper had to wake.', []),
    latency: createHistogram(registry, 'signalbox_send_seconds', 'From outbox row to delivery.', ['result']),
  };
}
