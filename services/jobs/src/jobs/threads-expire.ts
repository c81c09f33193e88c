import { PRIORITY, type OutboundEnvelope } from '@signalbox/contracts/conversation/envelope';
import { OUTBOUND } from '@signalbox/contracts/conversation/topics';
import { say } from '@signalbox/messages/say';
import type { Pool } from '@signalbox/store/pool';
import { expireThreads, type ExpiredThread } from '../conversation/thread-expiry.ts';
import { newId } from '@signalbox/contracts/ids';
import { publishStored, type Publisher } from '@signalbox/platform/streams/publish';
import { MINUTE_MS } from '@signalbox/contracts/time';
import type { HandlerOf } from '../runner/handlers.ts';

/** Threads that one transaction ends: it holds their lanes, so it is kept short. */
const BATCH = 50;

/** Ends conversations that have been idle for too long, and says so to whoever was asked something. */
export function createThreadsExpire(parts: {
  readonly pool: Pool;
  readonly publisher: Publisher;
  readonly idleMs: number;
}): HandlerOf<'threads.expire'> {
  return {
    title: () => say('jobs.closingIdleConversations'),
    run: async (_, { signal, log }) => {
      let expired = 0;
      for (;;) {
        signal.throwIfAborted();
        const traceId = newId('trace');
        const announce = (thread: ExpiredThread): OutboundEnvelope => announcement(thread, parts.idleMs, traceId);
        const threads = await expireThreads(parts.pool, { idleMs: parts.idleMs, limit: BATCH, announce });
        const told = threads.filter((thread) => thread.announced);
        const sent = told.map(({ chatKey }) => ({ kind: 'send' as const, chatKey, traceId }));
        await publishStored({ publisher: parts.publisher, log }, OUTBOUND, sent);
        expired += threads.length;
        if (threads.length < BATCH) return { expired };
      }
    },
    say: ({ expired }) => say('control.threadsExpired', { count: expired }),
    isNotable: ({ expired }) => expired > 0,
  };
}

function announcement(thread: ExpiredThread, idleMs: number, traceId: string): OutboundEnvelope {
  const minutes = Math.round(idleMs / MINUTE_MS);
  const hasTitle = String(thread.title !== null);
  return {
    key: `expired:${thread.threadId}`,
    chatKey: thread.chatKey,
    userKey: thread.userKey,
    threadId: thread.threadId,
    traceId,
    priority: PRIORITY.reply,
    body: {
      text: say('control.threadExpired', { hasTitle, title: thread.title ?? '', minutes }),
      buttons: [],
    },
  };
}
