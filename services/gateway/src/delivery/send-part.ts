import { sleep } from '@signalbox/contracts/time';
import type { Channel, SendResult } from '../channels/channel.ts';
import type { Throttle } from './throttle.ts';

interface PartToSend {
  readonly chatKey: string;
  readonly part: unknown;
  readonly editing: string | undefined;
  /** True when a new message may replace a message that cannot be edited. */
  readonly isNews: boolean;
  readonly firstLine: string | null;
  readonly signal: AbortSignal;
}

/** Delays before the retries of one send, so that a short failure ends before the person notices. */
const QUICK_RETRIES_MS = [250, 1_000];

export function createPartSender({ channel, throttle }: { readonly channel: Channel; readonly throttle: Throttle }) {
  // Counts failures across all chats, because every chat fails without a connection.
  let unreachable = 0;

  return {
    unreachable: (): number => unreachable,
    async sendPart({ chatKey, part, editing, isNews, firstLine, signal }: PartToSend): Promise<SendResult> {
      const sendOnce = async (): Promise<SendResult> => {
        if (editing === undefined) return channel.send(chatKey, part, firstLine);
        const edited: SendResult = (await channel.edit?.(chatKey, editing, part)) ?? { kind: 'gone' };
        return edited.kind === 'gone' && isNews ? channel.send(chatKey, part, firstLine) : edited;
      };
      let sent = await sendOnce();
      for (const waitMs of QUICK_RETRIES_MS) {
        if (sent.kind !== 'busy' || signal.aborted) break;
        await sleep(waitMs, signal);
        sent = await sendOnce();
      }
      unreachable = sent.kind === 'unreachable' ? unreachable + 1 : 0;
      // Other rows of this chat wait in the database. The throttle also pauses the topics of the chat.
      if (sent.kind === 'wait') throttle.pause(chatKey, channel.throttleOf(chatKey), sent.retryAfterMs);
      return sent;
    },
  };
}
