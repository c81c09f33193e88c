import { setTimeout as delay } from 'node:timers/promises';
import type { ChatActivity } from './chat-activity.ts';
import type { SeenMessage, SimulatorClient, ChatAuthor, SubmittedUpdate } from './chat-simulator.ts';

/** The bot's reaction to a message or click. */
export interface BotReaction {
  /** The bot's new and edited messages in their final form, oldest first. */
  readonly messages: readonly SeenMessage[];
  /** The bot's notice after a click; empty without a notice. */
  readonly notice: string;
  /** False when the bot was still busy at the time limit. */
  readonly settled: boolean;
}

export interface ChatTimeouts {
  /** The bot has finished when it was idle and sent nothing for this long. */
  readonly quietMs: number;
  /** Longest wait for the bot's reaction. */
  readonly limitMs: number;
}

/** After this time without the update in the database, the bot is assumed to ignore the update. */
const ARRIVAL_TIMEOUT_MS = 5_000;
const POLL_MS = 100;

/** Opens one person's conversation at the end of the chat. Callers wait for one message before they send the next. */
export async function openChatSession(options: {
  readonly simulator: SimulatorClient;
  readonly activity: ChatActivity;
  readonly speaker: ChatAuthor;
  readonly times: ChatTimeouts;
}) {
  const { simulator, activity, speaker, times } = options;
  let { seq } = await simulator.read(speaker, Number.MAX_SAFE_INTEGER);

  const catchUp = async (): Promise<readonly SeenMessage[]> => {
    const seen = await simulator.read(speaker, seq);
    seq = seen.seq;
    return seen.messages.filter((message) => message.from.isBot && !message.deleted);
  };

  // Until the update is in the database, isUnderWay is always false.
  const hasArrived = async ({ updateId, callbackQueryId }: SubmittedUpdate): Promise<boolean> => {
    if (updateId === null || (await activity.hasArrived(updateId))) return true;
    return callbackQueryId !== null && (await simulator.readNotice(callbackQueryId)).answered;
  };

  const waitUntilSettled = async (submitted: SubmittedUpdate): Promise<BotReaction> => {
    const begin = Date.now();
    const final = new Map<number, SeenMessage>();
    let arrived = false;
    let quietSince = begin;
    for (;;) {
      arrived ||= Date.now() - begin > ARRIVAL_TIMEOUT_MS || (await hasArrived(submitted));
      const busy = !arrived || (await activity.isUnderWay());
      // Read after isUnderWay: messages that the bot wrote before it finished are included.
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
    /** Returns messages that the bot sent without being asked. */
    catchUp,
    say: async (text: string): Promise<BotReaction> => waitUntilSettled(await simulator.send(speaker, text)),
    press: async (button: string): Promise<BotReaction> => waitUntilSettled(await simulator.click(speaker, button)),
  };
}

export type ChatSession = Awaited<ReturnType<typeof openChatSession>>;

/** Formats messages and a notice as text: each message with its buttons, separated by blank lines. */
export function formatPlain({ messages, notice }: Pick<BotReaction, 'messages' | 'notice'>): string {
  const texts = messages.map(({ text, buttons }) => {
    const rows = (buttons ?? []).map((row) => `${row.map((button) => `[${button.text}]`).join(' ')}\n`);
    return `${text}\n${rows.join('')}\n`;
  });
  return `${texts.join('')}${notice === '' ? '' : `(${notice})\n\n`}`;
}

/** Formats each message (messageId, from, text, button labels, edited) and the notice as one line of JSON. */
export function formatJsonLines({ messages, notice }: Pick<BotReaction, 'messages' | 'notice'>): string {
  const lines = messages.map(({ messageId, from, text, buttons, editedAt }) => {
    const labels = (buttons ?? []).map((row) => row.map((button) => button.text));
    return { messageId, from: from.name, text, buttons: labels, edited: editedAt !== null };
  });
  return [...lines, ...(notice === '' ? [] : [{ notice }])].map((line) => `${JSON.stringify(line)}\n`).join('');
}
