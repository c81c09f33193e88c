import { setTimeout as wait } from 'node:timers/promises';
import type { Call } from './bot-api/call-log.ts';
import type { Draft } from './store/draft.ts';
import type { BotStatus } from './store/event.ts';
import type { Fault } from './bot-api/faults.ts';
import type { FeedEvent } from './store/feed.ts';
import type { MessageView } from './people/message-view.ts';
import type { SettingsChange } from './store/settings.ts';

/** An answer of the person API: `ok: false` comes with `error`. */
export interface PersonAnswer {
  readonly ok: boolean;
  readonly error?: string;
  readonly updateId: number | null;
  readonly messageId: number;
  /** All messages of an album; one otherwise. */
  readonly messageIds: readonly number[];
  readonly callbackQueryId: string;
  readonly topicId: number;
  readonly draftId: number;
  readonly seq: number;
}

type ChatName = number | 'ops';
/** Where something happens; without a chat in the private one. */
interface Place {
  readonly chat?: ChatName;
  readonly messageId?: number;
}
interface SentFile {
  readonly kind?: 'document' | 'photo' | 'voice';
  readonly name?: string;
  readonly type?: string;
  /** Its bytes in Base64, or only how many there are. */
  readonly data?: string;
  readonly sizeBytes?: number;
  readonly durationSeconds?: number;
}

export interface SimulatorClient {
  /** Answers what the simulator answers, refusals too. */
  readonly post: (path: string, body: object) => Promise<PersonAnswer>;
  /** The same, but rejects with the simulator's sentence if it refuses. */
  readonly act: (path: string, body: object) => Promise<PersonAnswer>;
  readonly get: <Result>(path: string) => Promise<Result>;
  readonly messages: (as: number, chat?: ChatName) => Promise<readonly MessageView[]>;
  /** What the bot is writing to this person, or null. */
  readonly draft: (as: number) => Promise<Draft | null>;

  // What people do. All of these reject if the simulator refuses.
  readonly say: (
    from: number,
    text: string,
    options?: Place & { replyTo?: number; topic?: number | string; files?: readonly SentFile[]; raw?: boolean },
  ) => Promise<PersonAnswer>;
  readonly click: (from: number, button: string, place?: Place) => Promise<PersonAnswer>;
  readonly react: (from: number, messageId: number, emoji: string | null, place?: Place) => Promise<PersonAnswer>;
  readonly stopDraft: (from: number) => Promise<PersonAnswer>;
  readonly setBotStatus: (status: BotStatus, by?: number) => Promise<PersonAnswer>;
  /** What popped up after a click, once the bot has answered it. */
  readonly clickAnswer: (callbackQueryId: string) => Promise<{ answered: boolean; text: string; showAlert: boolean }>;

  /** What goes wrong with the next calls. */
  readonly fault: (fault: Partial<Fault> & Pick<Fault, 'method'>) => Promise<void>;
  readonly clearFaults: () => Promise<void>;
  readonly settings: (change: SettingsChange) => Promise<void>;
  /** The bot's calls so far, of one method or of all. */
  readonly calls: (method?: string) => Promise<readonly Call[]>;
  /** Everything that a bot sent and that the Bot API does not know, such as `sendMessage: txt is unknown`. */
  readonly problems: () => Promise<readonly string[]>;
  /** The first Bot API call from the start on that fits, once there is one. */
  readonly findCall: (fits: (call: Call) => boolean, signal?: AbortSignal) => Promise<Call>;
  /**
   * The first event that fits: from now on, or after the number `after` (0 for all that are known); `as` for what this
   * person sees. Rejects when the simulator closes before.
   */
  readonly nextEvent: (
    fits: (event: FeedEvent) => boolean,
    options?: { readonly after?: number; readonly as?: number },
  ) => Promise<FeedEvent>;
}

const POLL_EVERY_MS = 5;

/** Speaks to a simulator at this address. Holds nothing open between calls. */
export function createSimulatorClient(url: string): SimulatorClient {
  const get = async <Result>(path: string): Promise<Result> => {
    const response = await fetch(`${url}${path}`);
    // The simulator's own answers have the shapes that its modules declare.
    return (await response.json()) as Result;
  };
  const post = async (path: string, body: object): Promise<PersonAnswer> => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    // All POST routes of the person API answer with parts of it.
    return (await response.json()) as PersonAnswer;
  };
  const act = async (path: string, body: object): Promise<PersonAnswer> => {
    const answer = await post(path, body);
    if (!answer.ok) throw new Error(`The simulator refused ${path}: ${answer.error ?? 'no reason given'}`);
    return answer;
  };
  const calls = async (method?: string): Promise<readonly Call[]> =>
    (await get<Call[]>('/api/calls')).filter((call) => method === undefined || call.method === method);
  return {
    get,
    post,
    act,
    calls,
    messages: async (as, chat = as) => {
      const page = await get<{ messages: MessageView[] }>(`/api/chats/${chat}/messages?as=${as}`);
      return page.messages;
    },
    draft: async (as) => (await get<{ draft: Draft | null }>(`/api/chats/${as}/messages?as=${as}&limit=1`)).draft,
    say: (from, text, options) => act('/api/messages', { from, text, ...options }),
    click: (from, button, place) => act('/api/clicks', { from, button, ...place }),
    react: (from, messageId, emoji, place) => act('/api/reactions', { from, emoji, ...place, messageId }),
    stopDraft: (from) => act('/api/drafts/stop', { from }),
    setBotStatus: (status, by = 1001) => act('/api/rights', { by, status }),
    clickAnswer: (callbackQueryId) => get(`/api/clicks/${callbackQueryId}`),
    fault: async (fault) => void (await act('/api/faults', fault)),
    clearFaults: async () => void (await fetch(`${url}/api/faults`, { method: 'DELETE' })),
    settings: async (change) => void (await act('/api/settings', change)),
    problems: async () =>
      (await calls()).flatMap(({ method, violations, warnings }) =>
        [...violations, ...warnings].map((problem) => `${method}: ${problem}`),
      ),
    findCall: async (fits, signal) => {
      for (;;) {
        const found = (await get<Call[]>('/api/calls')).find(fits);
        if (found) return found;
        await wait(POLL_EVERY_MS, undefined, signal ? { signal } : {});
      }
    },
    nextEvent: async (fits, options = {}) => {
      const controller = new AbortController();
      const query = new URLSearchParams(
        Object.entries(options).map(([name, value]): [string, string] => [name, String(value)]),
      );
      const response = await fetch(`${url}/api/events?${query.toString()}`, { signal: controller.signal });
      for await (const event of readEvents(response)) {
        if (!fits(event)) continue;
        controller.abort();
        return event;
      }
      throw new Error('The event stream ended before such an event.');
    },
  };
}

async function* readEvents(response: Response): AsyncGenerator<FeedEvent> {
  let rest = '';
  for await (const part of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    const blocks = `${rest}${part}`.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1];
      // The event stream writes nothing but these.
      if (data !== undefined) yield JSON.parse(data) as FeedEvent;
    }
  }
}
