import { setTimeout as wait } from 'node:timers/promises';
import type { z } from 'zod';
import type { LoggedCall } from './bot-api/call-log.ts';
import type { BotStatus } from './store/event.ts';
import type { Fault } from './bot-api/faults.ts';
import type { FeedEvent } from './store/feed.ts';
import type { MessagesView } from './people/person-api.ts';
import type { PersonMessage } from './people/person-messages.ts';
import type { SettingsChange } from './store/settings.ts';

/** A response of the person API; `ok: false` comes with `error`. */
export interface PersonAnswer {
  readonly ok: boolean;
  readonly error?: string;
  readonly updateId: number | null;
  readonly messageId: number;
  /** All messages of an album, or the single message. */
  readonly messageIds: readonly number[];
  readonly callbackQueryId: string;
  readonly draftId: number;
  readonly seq: number;
}

type ChatName = number | 'ops';
/** Chat and topic of an action; the default is the private chat. */
interface ActionTarget {
  readonly chat?: ChatName;
  readonly messageId?: number;
}
type Said = Omit<z.input<typeof PersonMessage>, 'from' | 'text'>;
type Answer = Promise<PersonAnswer>;
export type SimulatorClient = ReturnType<typeof createSimulatorClient>;

const POLL_EVERY_MS = 5;

/** Creates a client of a simulator. Keeps no connection open between calls. */
export function createSimulatorClient(url: string) {
  const get = async <Result>(path: string): Promise<Result> => {
    const response = await fetch(`${url}${path}`);
    // The simulator returns the shapes that its modules declare.
    return (await response.json()) as Result;
  };
  const post = async (path: string, body: object): Answer => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    // All POST routes of the person API return parts of this type.
    return (await response.json()) as PersonAnswer;
  };
  const act = async (path: string, body: object): Answer => {
    const answer = await post(path, body);
    if (!answer.ok) throw new Error(`The simulator refused ${path}: ${answer.error ?? 'no reason given'}`);
    return answer;
  };
  const calls = async (method?: string): Promise<readonly LoggedCall[]> =>
    (await get<LoggedCall[]>('/api/calls')).filter((call) => method === undefined || call.method === method);
  return {
    get,
    /** Posts and returns the response, including refusals. */
    post,
    /** Posts and rejects with the simulator's message when refused. */
    act,
    messages: async (as: number, chat: ChatName = as) =>
      (await get<MessagesView>(`/api/chats/${chat}/messages?as=${as}`)).messages,
    /** Returns the bot's current draft for this person, or null. */
    draft: async (as: number) => (await get<MessagesView>(`/api/chats/${as}/messages?as=${as}&limit=1`)).draft,

    // Actions of people; all reject when refused.
    say: (from: number, text: string, options?: Said) => act('/api/messages', { from, text, ...options }),
    click: (from: number, button: string, target?: ActionTarget) => act('/api/clicks', { from, button, ...target }),
    stopDraft: (from: number) => act('/api/drafts/stop', { from }),
    setBotStatus: (status: BotStatus, by = 1001) => act('/api/rights', { by, status }),
    /** Returns the bot's answer to a click, once it exists. */
    clickAnswer: (callbackQueryId: string) =>
      get<{ answered: boolean; text: string; showAlert: boolean }>(`/api/clicks/${callbackQueryId}`),

    /** Queues a fault for the next calls. */
    fault: async (fault: Partial<Fault> & Pick<Fault, 'method'>): Promise<void> =>
      void (await act('/api/faults', fault)),
    clearFaults: async (): Promise<void> => void (await fetch(`${url}/api/faults`, { method: 'DELETE' })),
    settings: async (change: SettingsChange): Promise<void> => void (await act('/api/settings', change)),
    /** Returns the bot's calls, of one method or all. */
    calls,
    /** Lists calls that violate the Bot API, such as `sendMessage: txt is unknown`. */
    problems: async (): Promise<readonly string[]> =>
      (await calls()).flatMap(({ method, violations, warnings }) =>
        [...violations, ...warnings].map((problem) => `${method}: ${problem}`),
      ),
    /** Waits for the first matching Bot API call since the start. */
    findCall: async (fits: (call: LoggedCall) => boolean, signal?: AbortSignal): Promise<LoggedCall> => {
      for (;;) {
        const found = (await calls()).find(fits);
        if (found) return found;
        await wait(POLL_EVERY_MS, undefined, signal ? { signal } : {});
      }
    },
    /** Waits for the first matching event, from now or after `after`; `as` selects a person's view. Rejects when the simulator closes. */
    nextEvent: async (
      fits: (event: FeedEvent) => boolean,
      options: { readonly after?: number; readonly as?: number } = {},
    ): Promise<FeedEvent> => {
      const query = new URLSearchParams(
        Object.entries(options).map(([name, value]): [string, string] => [name, String(value)]),
      );
      const response = await fetch(`${url}/api/events?${query.toString()}`);
      // Leaving the loop closes the connection.
      for await (const event of readEvents(response)) if (fits(event)) return event;
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
      // The event stream contains only feed events.
      if (data !== undefined) yield JSON.parse(data) as FeedEvent;
    }
  }
}
