import { OutboundBody } from '@signalbox/contracts/conversation/envelope';
import { isTransient } from '@signalbox/store/pool';
import { sayError } from '@signalbox/messages/say';
import { runInBackground } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { SECOND_MS } from '@signalbox/contracts/time';
import type { Channel, IncomingUpdate } from '../channels/channel.ts';

/** Time before people are notified; a restart of Postgres takes less. */
const PATIENCE_MS = 20 * SECOND_MS;
/** Maximum number of chats that are notified per outage, because they are kept in memory. */
const MAX_CHATS = 200;

type Admit = (updates: readonly IncomingUpdate[]) => Promise<void>;

/** Admits updates. When Postgres has been unavailable for 20 s, notifies private chats once. Rethrows, so that the channel repeats. */
export function withStorageNotice(
  admit: Admit,
  { channel, log }: { readonly channel: Channel; readonly log: Log },
): Admit {
  let failingSince: number | null = null;
  const notified = new Set<string>();

  const notify = async (chatKey: string): Promise<void> => {
    const body = OutboundBody.parse({ text: sayError('INBOUND_NOT_STORED', {}) });
    const [part] = channel.encode(body, { chatKey, outboxId: 0, simpleFrom: 0 });
    const sent = await channel.send(chatKey, part, null);
    log.info('told that nothing can be stored', { chatKey, sent: sent.kind });
  };

  return async (updates) => {
    try {
      await admit(updates);
      failingSince = null;
      notified.clear();
    } catch (error) {
      if (!isTransient(error)) throw error;
      failingSince ??= performance.now();
      if (performance.now() - failingSince < PATIENCE_MS) throw error;
      for (const chatKey of listPrivateChats(channel, updates)) {
        if (notified.has(chatKey) || notified.size >= MAX_CHATS) continue;
        notified.add(chatKey);
        runInBackground(log, 'storage notice', notify(chatKey));
      }
      throw error;
    }
  };
}

function listPrivateChats(channel: Channel, updates: readonly IncomingUpdate[]): ReadonlySet<string> {
  const written = updates.filter((update) => update.kind === 'text' || update.kind === 'not-text');
  return new Set(written.map(({ chatKey }) => chatKey).filter((chatKey) => channel.throttleOf(chatKey) === 'private'));
}
