import { z } from 'zod';
import { SetupError } from '../setup-error.ts';

/** A message as a person sees it. `seq` grows with every new message and every edit. */
export const SeenMessage = z.object({
  messageId: z.number(),
  from: z.object({ id: z.number(), name: z.string(), isBot: z.boolean() }),
  text: z.string(),
  buttons: z.array(z.array(z.object({ text: z.string() }))).nullable(),
  editedAt: z.number().nullable(),
  deleted: z.boolean().default(false),
  seq: z.number(),
});
export type SeenMessage = z.output<typeof SeenMessage>;

/** A person who speaks in a chat. The chat with the bot has the number of the person. */
export interface Speaker {
  readonly person: number;
  readonly chat: number;
}

/** What happened to a message or a click: the number of the update that the bot gets, null if it does not see it. */
export interface Submitted {
  readonly updateId: number | null;
  readonly callbackQueryId: string | null;
}

/** The simulator, seen by the people in it. Every call throws a SetupError that a person can act on. */
export interface SimulatorClient {
  readonly send: (speaker: Speaker, text: string) => Promise<Submitted>;
  readonly click: (speaker: Speaker, button: string) => Promise<Submitted>;
  /** Whether the bot has answered a click, and the short notice that popped up; empty when there was none. */
  readonly readNotice: (callbackQueryId: string) => Promise<{ readonly answered: boolean; readonly text: string }>;
  /** Messages that are new or edited since `after`, and the number to ask from next time. */
  readonly read: (speaker: Speaker, after: number) => Promise<{ seq: number; messages: SeenMessage[] }>;
  /** A known person in a chat that they are in, named by title or number; without a name, the chat with the bot. */
  readonly findSpeaker: (person: number, chat: string | undefined) => Promise<Speaker>;
}

const Accepted = z.object({ updateId: z.number().nullable(), callbackQueryId: z.string().nullable().default(null) });
const Seen = z.object({ seq: z.number(), messages: z.array(SeenMessage) });
const People = z.array(z.object({ id: z.number(), name: z.string(), role: z.string() }));
const Chats = z.array(z.object({ id: z.number(), title: z.string() }));
const Notice = z.object({ answered: z.boolean(), text: z.string() });
const Refusal = z.object({ error: z.string() });

/** Speaks to the simulator at `baseUrl`. */
export function createSimulatorClient(baseUrl: string): SimulatorClient {
  const post = (path: string, body: object): Promise<unknown> =>
    ask(new URL(path, baseUrl), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const get = (path: string): Promise<unknown> => ask(new URL(path, baseUrl), {});
  const read: SimulatorClient['read'] = async ({ person, chat }, after) =>
    Seen.parse(await get(`/api/chats/${chat}/messages?as=${person}&after=${after}`));
  return {
    read,
    send: async ({ person, chat }, text) => Accepted.parse(await post('/api/messages', { from: person, chat, text })),
    click: async ({ person, chat }, button) =>
      Accepted.parse(await post('/api/clicks', { from: person, chat, button })),
    readNotice: async (id) => Notice.parse(await get(`/api/clicks/${encodeURIComponent(id)}`)),
    findSpeaker: async (person, chat) => {
      const people = People.parse(await get('/api/people'));
      if (!people.some(({ id }) => id === person)) {
        const known = people.map(({ id, name, role }) => `    ${id} ${name} (${role})`).join('\n');
        throw new SetupError(`There is no person ${person}.`, { remedy: `Known are:\n${known}` });
      }
      if (chat === undefined) return { person, chat: person };
      const chats = Chats.parse(await get(`/api/chats?as=${person}`));
      const found = chats.find(({ id, title }) => title === chat || String(id) === chat);
      if (found) return { person, chat: found.id };
      const known = chats.map(({ id, title }) => `    ${title} (${id})`).join('\n');
      throw new SetupError(`${person} is in no chat '${chat}'.`, { remedy: `That person's chats are:\n${known}` });
    },
  };
}

async function ask(url: URL, init: RequestInit): Promise<unknown> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(10_000) }).catch((cause: unknown) => {
    throw new SetupError(`The chat at ${url.origin} does not answer.`, {
      remedy: 'Is `npm start` still running?',
      cause,
    });
  });
  const body: unknown = await response.json();
  if (response.ok) return body;
  const refusal = Refusal.safeParse(body);
  throw new SetupError(refusal.success ? refusal.data.error : `The chat answered ${response.status}.`, {
    remedy: 'Nothing was sent.',
  });
}
