import { OUTBOUND_TOPIC } from '@signalbox/contracts/conversation/topics';
import { newTraceId } from '@signalbox/contracts/ids';
import type { Log } from '@signalbox/platform/log';
import { publishStored, type Publisher } from '@signalbox/platform/streams/publish';

/** Sends what was committed to these chats now; the sweeper repeats a lost wake-up. */
export async function wakeChats(
  deps: { readonly publisher: Publisher; readonly log: Pick<Log, 'warn'> },
  chats: readonly string[],
  traceId = newTraceId(),
): Promise<void> {
  const wakes = chats.map((chatKey) => ({ kind: 'send' as const, chatKey, traceId }));
  await publishStored(deps, OUTBOUND_TOPIC, wakes);
}
