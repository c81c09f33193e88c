import { OutboundBody } from '@signalbox/contracts/conversation/envelope';
import { isTransient } from '@signalbox/store/pool';
import { sayError } from '@signalbox/messages/say';
import { background } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { SECOND_MS } from '@signalbox/contracts/time';
import type { Channel, Incoming } from '../channels/channel.ts';

/** A restart of Postgres is over before that, and then the answer itself is the best news. */
const PATIENCE_MS = 20 * SECOND_MS;
/** How many chats at most get the notice during one outage: this is kept in memory, and goes out without the usual bookkeeping. */
const MAX_CHATS = 200;

type Admit = (updates: readonly Incoming[]) => Promise<void>;

/**
 * Admits updates, and tells people in private, once per outage, when Postgres has stored nothing for 20 seconds (it is away, or its
 * disk is full). Their message is not lost: the channel gives it again, and it is answered then. The error is rethrown unchanged.
 */
export function withStorageNotice(
  admit: Admit,
  { channel, log }: { readonly channel: Channel; readonly log: Log },
): Admit {
  let failingSince: number | null = null;
  const told = new Set<string>();

  const tell = async (chatKey: string): Promise<void> => {
    const body = OutboundBody.parse({ text: sayError('INBOUND_NOT_STORED', {}) });
    const [part] = channel.encode(body, { chatKey, outboxId: 0, simpleFrom: 0 });
    const sent = await channel.send(chatKey, part, null);
    log.info('told that nothing can be stored', { chatKey, sent: sent.kind });
  };

  return async (updates) => {
    try {
      await admit(updates);
      failingSince = null;
      told.clear();
    } catch (error) {
      if (!isTransient(error)) throw error;
      failingSince ??= performance.now();
      if (performance.now() - failingSince < PATIENCE_MS) throw error;
      for (const chatKey of privateChatsOf(channel, updates)) {
        if (told.has(chatKey) || told.size >= MAX_CHATS) continue;
        told.add(chatKey);
        background(log, 'storage notice', tell(chatKey));
      }
      throw error;
    }
  };
}

function privateChatsOf(channel: Channel, updates: readonly Incoming[]): ReadonlySet<string> {
  const written = updates.filter((update) => update.kind === 'text' || update.kind === 'not-text');
  return new Set(written.map(({ chatKey }) => chatKey).filter((chatKey) => channel.throttleOf(chatKey) === 'private'));
}
