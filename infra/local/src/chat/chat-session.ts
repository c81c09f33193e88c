import { setTimeout as delay } from 'node:timers/promises';
import type { Activity } from './chat-activity.ts';
import type { SeenMessage, SimulatorClient, Speaker, Submitted } from './chat-simulator.ts';

/** What came of one message or click. */
export interface Exchange {
  /** The bot's messages, new or edited, in their final form and in the order of the chat. */
  readonly messages: readonly SeenMessage[];
  /** The notice after a click, if there was one. */
  readonly notice: string;
  /** False when the time was up while something was still under way. */
  readonly settled: boolean;
}

/** How long to wait, in milliseconds. */
export interface ChatTimes {
  /** Nothing new for this long, and nothing under way: the bot has finished. */
  readonly quietMs: number;
  /** The longest wait for one answer. */
  readonly limitMs: number;
}

/** An update reaches the database within milliseconds; longer than this means that the bot does not record it. */
const ARRIVAL_TIMEOUT_MS = 5_000;
const POLL_MS = 100;

/** One person's conversation, one exchange after another. It begins at the end of the chat: what was written before is not shown again. */
export async function openChatSession(options: {
  readonly simulator: SimulatorClient;
  readonly activity: Activity;
  readonly speaker: Speaker;
  readonly times: ChatTimes;
}) {
  const { simulator, activity, speaker, times } = options;
  let { seq } = await simulator.read(speaker, Number.MAX_SAFE_INTEGER);

  const catchUp = async (): Promise<readonly SeenMessage[]> => {
    const seen = await simulator.read(speaker, seq);
    seq = seen.seq;
    return seen.messages.filter((message) => message.from.isBot && !message.deleted);
  };

  // Until the update has been seen to arrive, "nothing is under way" means nothing.
  const hasArrived = async ({ updateId, callbackQueryId }: Submitted): Promise<boolean> => {
    if (updateId === null || (await activity.hasArrived(updateId))) return true;
    return callbackQueryId !== null && (await simulator.readNotice(callbackQueryId)).answered;
  };

  const waitUntilSettled = async (submitted: Submitted): Promise<Exchange> => {
    const begin = Date.now();
    const final = new Map<number, SeenMessage>();
    let arrived = false;
    let quietSince = begin;
    for (;;) {
      arrived ||= Date.now() - begin > ARRIVAL_TIMEOUT_MS || (await hasArrived(submitted));
      const busy = !arrived || (await activity.isUnderWay());
      // Read after asking: what was written before the work ended is seen in this round.
      const fresh = await catchUp();
      for (const message of fresh) final.set(message.messageId, message);
      if (fresh.length > 0 || busy) quietSince = Date.now();
      const settled = !busy && Date.now() - quietSince >= times.quietMs;
      if (settled || Date.now() - begin >= times.limitMs) {
        const messages = [...final.values()].toSorted((one, other) => one.messageId - other.messageId);
        const id = submitted.callbackQueryId;
        return { messages, settled, notice: id === null ? '' : (await simulator.readNotice(id)).text };
      }
      await delay(POLL_MS);
    }
  };

  return {
    /** What the bot wrote meanwhile, without being asked. */
    catchUp,
    say: async (text: string): Promise<Exchange> => waitUntilSettled(await simulator.send(speaker, text)),
    press: async (button: string): Promise<Exchange> => waitUntilSettled(await simulator.click(speaker, button)),
  };
}

export type ChatSession = Awaited<ReturnType<typeof openChatSession>>;
