import type { ChatKind } from '@signalbox/contracts/conversation/envelope';
import { sleep } from '@signalbox/contracts/time';
import type { Channel, Sent } from '../channels/channel.ts';
import type { Throttle } from './throttle.ts';

/** One part of a row, and how it goes out. */
interface PartToSend {
  readonly chatKey: string;
  readonly part: unknown;
  /** The message that it takes the place of. */
  readonly editing: string | undefined;
  /** Whether a message that cannot be changed any more is followed by a new one. */
  readonly isNews: boolean;
  readonly firstLine: string | null;
  readonly signal: AbortSignal;
}

/** A hiccup of the channel is over before the person notices. */
const QUICK_RETRIES_MS = [250, 1_000];

/** Sends parts through one channel, at its pace. */
export function createPartSender({ channel, pace }: { readonly channel: Channel; readonly pace: Throttle }) {
  // Counts over all chats: without a connection every chat fails alike.
  let unreachable = 0;

  return {
    /** How often in a row there was no connection. */
    unreachable: (): number => unreachable,
    async sendPart({ chatKey, part, editing, isNews, firstLine, signal }: PartToSend): Promise<Sent> {
      const once = async (): Promise<Sent> => {
        if (editing === undefined) return channel.send(chatKey, part, firstLine);
        const edited: Sent = (await channel.edit?.(chatKey, editing, part)) ?? { kind: 'gone' };
        return edited.kind === 'gone' && isNews ? channel.send(chatKey, part, firstLine) : edited;
      };
      let sent = await once();
      for (const waitMs of QUICK_RETRIES_MS) {
        if (sent.kind !== 'busy' || signal.aborted) break;
        await sleep(waitMs, signal);
        sent = await once();
      }
      unreachable = sent.kind === 'unreachable' ? unreachable + 1 : 0;
      // The rows of this chat wait in the database; the pace holds back those of its other topics.
      if (sent.kind === 'wait') pace.pause(chatKey, channel.throttleOf(chatKey), sent.retryAfterMs);
      return sent;
    },
    async waitForThrottle(chatKey: string, kind: ChatKind, signal: AbortSignal): Promise<void> {
      while (!signal.aborted && !pace.tryTake(chatKey, kind)) await sleep(pace.waitMs(chatKey, kind), signal);
    },
  };
}
