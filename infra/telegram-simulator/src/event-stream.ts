import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { isEventFor } from './people/event-view.ts';
import type { FeedEvent } from './store/feed.ts';
import type { Store } from './store/store.ts';

/** Slow subscribers are disconnected at this limit; they reconnect and resume. */
const MAX_BUFFERED_BYTES = 8 * 1024 * 1024;
const RECONNECT_AFTER_MS = 1_000;

const number = z.coerce.number().pipe(z.int());
const Query = z.object({ after: number.optional(), as: number.optional() });

/** Serves server-sent events at /api/events. `?after=` or Last-Event-ID resumes; `?as=` selects a person's view. */
export function registerEventStream(app: FastifyInstance, store: Store, closing: AbortSignal): void {
  app.get('/api/events', (request, reply) => {
    const lastId = Number(request.headers['last-event-id'] ?? Number.NaN);
    const query = Query.parse(request.query);
    const after = Number.isSafeInteger(lastId) ? lastId : (query.after ?? null);
    const personId = query.as ?? null;
    reply.hijack();
    const stream = reply.raw;
    stream.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' });
    stream.write(`retry: ${RECONNECT_AFTER_MS}\n\n`);
    const unsubscribe = store.feed.subscribe(after, (event) => {
      if (!isEventFor(store, event, personId)) return;
      stream.write(`id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`);
      if (stream.writableLength > MAX_BUFFERED_BYTES) stream.destroy();
    });
    const end = (): void => void stream.end();
    closing.addEventListener('abort', end, { once: true });
    stream.once('close', () => {
      unsubscribe();
      closing.removeEventListener('abort', end);
    });
  });
}
