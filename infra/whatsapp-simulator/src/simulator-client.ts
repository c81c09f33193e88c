import type { z } from 'zod';
import type { Fault } from './faults.ts';
import type { SettingsChange } from './people/people-api.ts';
import type { OtherMessage, TextMessage, FileMessage } from './people/person-actions.ts';
import type { LoggedCall, MessageView, SimulatorEvent } from './store/event.ts';

export type SimulatorClient = ReturnType<typeof createSimulatorClient>;
type Without<Input, Keys extends PropertyKey> = Omit<Input, Keys>;

/** Duration of one poll for events. */
const POLL_MS = 10_000;

/** Creates a client of a simulator. Keeps no connection open between calls. */
export function createSimulatorClient(url: string) {
  const get = async <Result>(path: string): Promise<Result> => {
    const response = await fetch(`${url}${path}`);
    // The simulator returns the shapes that its modules declare.
    return (await response.json()) as Result;
  };
  const act = async <Result = unknown>(path: string, body: object): Promise<Result> => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const answer: unknown = await response.json();
    // Every POST route returns this shape.
    const { ok, error } = answer as { readonly ok: boolean; readonly error?: string };
    if (!ok) throw new Error(`The simulator refused ${path}: ${error ?? 'no reason given'}`);
    // The caller knows the response type of the route.
    return answer as Result;
  };
  const write = async (path: string, body: object): Promise<string> =>
    (await act<{ readonly messageId: string }>(path, body)).messageId;
  const calls = async (what?: LoggedCall['what']): Promise<readonly LoggedCall[]> =>
    (await get<readonly LoggedCall[]>('/api/calls')).filter((call) => what === undefined || call.what === what);
  return {
    // Actions of people; all reject when refused, and return the message id.
    say: (from: string, text: string, options: Partial<Without<z.input<typeof TextMessage>, 'from' | 'text'>> = {}) =>
      write('/api/messages', { from, text, ...options }),
    press: (from: string, button: string, messageId?: string) => write('/api/presses', { from, button, messageId }),
    sendFile: (
      from: string,
      file: Without<z.input<typeof FileMessage>, 'from' | 'bytes'> & { readonly bytes: Buffer },
    ) => write('/api/files', { from, ...file, bytes: file.bytes.toString('base64') }),
    sendOther: (from: string, other: Without<z.input<typeof OtherMessage>, 'from'>) =>
      write('/api/others', { from, ...other }),
    block: async (from: string, blocked = true): Promise<void> => void (await act('/api/blocks', { from, blocked })),
    read: async (from: string): Promise<void> => void (await act('/api/reads', { from })),
    addPerson: async (id: string, name: string): Promise<void> => void (await act('/api/people', { id, name })),
    /** Returns the messages that this person sees, oldest first. */
    messages: (id: string) => get<readonly MessageView[]>(`/api/people/${id}/messages`),
    /** Waits for the first matching event after a number. The signal ends the wait. */
    nextEvent: async (
      fits: (event: SimulatorEvent) => boolean,
      { after = 0, signal }: { readonly after?: number; readonly signal?: AbortSignal } = {},
    ): Promise<SimulatorEvent> => {
      for (let seq = after; ;) {
        signal?.throwIfAborted();
        const events = await get<readonly SimulatorEvent[]>(`/api/events?after=${seq}&timeoutMs=${POLL_MS}`);
        const found = events.find(fits);
        if (found) return found;
        seq = events.at(-1)?.seq ?? seq;
      }
    },

    // Routes for tests.
    /** Sets the webhook addresses; each must answer the challenge. */
    subscribe: async (...urls: readonly string[]): Promise<void> => void (await act('/api/webhook', { urls })),
    hold: async (): Promise<void> => void (await act('/api/webhook/hold', {})),
    flush: async (
      how: {
        readonly isReversed?: boolean;
        readonly isTogether?: boolean;
        readonly copies?: number;
      } = {},
    ): Promise<void> => void (await act('/api/webhook/flush', how)),
    /** Posts a raw text to the bot, unsigned when the secret is null; returns the bot's response. */
    postRaw: (text: string, secret?: string | null) =>
      act<{ readonly status: number; readonly body: string }>('/api/webhook/raw', { text, secret }),
    /** Posts the last webhook again. */
    repeatWebhook: async (): Promise<void> => void (await act('/api/webhook/repeat', {})),
    pendingWebhooks: async (): Promise<number> => (await get<{ readonly pending: number }>('/api/webhook')).pending,
    advanceClock: async (advanceMs: number): Promise<void> => void (await act('/api/clock', { advanceMs })),
    fault: async (fault: z.input<typeof Fault>): Promise<void> => void (await act('/api/faults', fault)),
    clearFaults: async (): Promise<void> => void (await fetch(`${url}/api/faults`, { method: 'DELETE' })),
    settings: async (change: z.input<typeof SettingsChange>): Promise<void> =>
      void (await act('/api/settings', change)),
    calls,
    /** Lists everything in the bot's calls that Meta's reference does not allow. */
    problems: async (): Promise<readonly string[]> =>
      (await calls()).flatMap(({ what, problems }) => problems.map((problem) => `${what}: ${problem}`)),
  };
}
