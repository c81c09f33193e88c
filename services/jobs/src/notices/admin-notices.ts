import { OUTBOUND } from '@signalbox/contracts/conversation/topics';
import { newId } from '@signalbox/contracts/ids';
import { SECOND_MS } from '@signalbox/contracts/time';
import type { Closable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { startLoop } from '@signalbox/platform/loop';
import { publishStored, type Publisher } from '@signalbox/platform/streams/publish';
import { notifyAdmins } from '@signalbox/store/faults';
import type { Pool } from '@signalbox/store/pool';

const EVERY_MS = 10 * SECOND_MS;

/**
 * Tells the admins of faults of ours, and of news that another pool could tell nobody. A loop and no scheduled job: it needs Postgres
 * alone, so that it also tells when Redis is what is broken. Several at once tell once.
 */
export function startAdminNotices({
  pool,
  publisher,
  log,
  everyMs = EVERY_MS,
}: {
  readonly pool: Pool;
  readonly publisher: Publisher;
  readonly log: Log;
  readonly everyMs?: number;
}): Closable {
  let isSaid = false;
  const step = async (): Promise<void> => {
    const { chats, waiting } = await notifyAdmins(pool);
    if (waiting > 0 && !isSaid)
      log.error('no admin can be told of a fault of ours: an admin has to write to the bot in private', { waiting });
    isSaid = waiting > 0;
    const traceId = newId('trace');
    const sent = chats.map((chatKey) => ({ kind: 'send' as const, chatKey, traceId }));
    if (sent.length > 0) await publishStored({ publisher, log }, OUTBOUND, sent);
  };
  return startLoop({ name: 'admin notices', everyMs, log, step });
}
