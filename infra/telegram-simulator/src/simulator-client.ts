import { setTimeout as wait } from 'node:timers/promises';
import type { Call } from './call-log.ts';
import type { FeedEvent } from './feed.ts';
import type { MessageView } from './message-view.ts';

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
  readonly seq: number;
}

export interface SimulatorClient {
  readonly post: (path: string, body: object) => Promise<PersonAnswer>;
  readonly get: <Result>(path: string) => Promise<Result>;
  readonly messages: (as: number, chat?: number | 'ops') => Promise<readonly MessageView[]>;
  /**
   * The first event that fits: from now on, or after the number `after` (0 for all that are known); `as` for what this
   * person sees. Rejects when the simulator closes before.
   */
  readonly nextEvent: (
    fits: (event: FeedEvent) => boolean,
    options?: { readonly after?: number; readonly as?: number },
  ) => Promise<FeedEvent>;
  /** The first Bot API call from the start on that fits, once there is one. */
  readonly findCall: (fits: (call: Call) => boolean, signal?: AbortSignal) => Promise<Call>;
}

const POLL_EVERY_MS = 5;

/** Speaks the person API of a simulator at this address. Holds nothing open between calls. */
export function createSimulatorClient(url: string): SimulatorClient {
  const get = async <Result>(path: string): Promise<Result> => {
    const response = await fetch(`${url}${path}`);
    // The simulator's own answers have the shapes that its modules declare.
    return (await response.json()) as Result;
  };
  return {
    get,
    post: async (path, body) => {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      return (await response.json()) as PersonAnswer;
    },
    messages: async (as, chat = as) => {
      const page = await get<{ messages: MessageView[] }>(`/api/chats/${chat}/messages?as=${as}`);
      return page.messages;
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
    findCall: async (fits, signal) => {
      for (;;) {
        const found = (await get<Call[]>('/api/calls')).find(fits);
        if (found) return found;
        await wait(POLL_EVERY_MS, undefined, signal ? { signal } : {});
      }
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
      if (data !== undefined) yield JSON.parse(data) as FeedEvent;
    }
  }
}
