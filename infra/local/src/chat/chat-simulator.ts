import type { ChatView } from '@signalbox/telegram-simulator/store/chat-shapes';
import type { MessageView } from '@signalbox/telegram-simulator/store/message-view';
import type { MessagesView, PersonView } from '@signalbox/telegram-simulator/people/person-api';
import { createSimulatorClient as createClient } from '@signalbox/telegram-simulator/simulator-client';
import { SetupError } from '../setup-error.ts';

/** A message as a person sees it. `seq` grows with every new message and every edit. */
export type SeenMessage = MessageView;

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

/** The simulator at `baseUrl`, seen by the people in it. Every call throws a SetupError that a person can act on. */
export function createSimulatorClient(baseUrl: string) {
  const client = createClient(baseUrl);
  const ask = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
    try {
      return await answer;
    } catch (cause) {
      if (!(cause instanceof TypeError)) throw cause; // fetch throws a TypeError when the simulator does not answer
      const remedy = 'Is `npm start` still running?';
      throw new SetupError(`The chat at ${baseUrl} does not answer.`, { remedy, cause });
    }
  };
  return {
    /** Messages that are new or edited since `after`, and the number to ask from next time. */
    read: ({ person, chat }: Speaker, after: number): Promise<Pick<MessagesView, 'seq' | 'messages'>> =>
      ask(client.get<MessagesView>(`/api/chats/${chat}/messages?as=${person}&after=${after}`)),
    send: async ({ person, chat }: Speaker, text: string): Promise<Submitted> => {
      const { updateId } = await ask(client.say(person, text, { chat }));
      return { updateId, callbackQueryId: null };
    },
    click: ({ person, chat }: Speaker, button: string): Promise<Submitted> =>
      ask(client.click(person, button, { chat })),
    /** Whether the bot has answered a click, and the short notice that popped up; empty when there was none. */
    readNotice: (id: string): Promise<{ readonly answered: boolean; readonly text: string }> =>
      ask(client.clickAnswer(id)),
    /** A known person in a chat that they are in, named by title or number; without a name, the chat with the bot. */
    findSpeaker: async (person: number, chat: string | undefined): Promise<Speaker> => {
      const people = await ask(client.get<readonly PersonView[]>('/api/people'));
      if (!people.some(({ id }) => id === person)) {
        const known = people.map(({ id, name, role }) => `    ${id} ${name} (${role})`).join('\n');
        throw new SetupError(`There is no person ${person}.`, { remedy: `Known are:\n${known}` });
      }
      if (chat === undefined) return { person, chat: person };
      const chats = await client.get<readonly ChatView[]>(`/api/chats?as=${person}`);
      const found = chats.find(({ id, title }) => title === chat || String(id) === chat);
      if (found) return { person, chat: found.id };
      const known = chats.map(({ id, title }) => `    ${title} (${id})`).join('\n');
      throw new SetupError(`${person} is in no chat '${chat}'.`, { remedy: `That person's chats are:\n${known}` });
    },
  };
}

export type SimulatorClient = ReturnType<typeof createSimulatorClient>;
