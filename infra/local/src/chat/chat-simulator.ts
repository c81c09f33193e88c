import type { ChatView } from '@signalbox/telegram-simulator/store/chat-shapes';
import type { MessageView } from '@signalbox/telegram-simulator/store/message-view';
import type { MessagesView, PersonView } from '@signalbox/telegram-simulator/people/person-api';
import { createSimulatorClient as createClient } from '@signalbox/telegram-simulator/simulator-client';
import { SetupError } from '../setup-error.ts';

/** A message as a person sees it. `seq` grows with each message and edit. */
export type SeenMessage = MessageView;

/** A person and the chat in which they write. The id of a private chat with the bot is the person's id. */
export interface ChatAuthor {
  readonly person: number;
  readonly chat: number;
}

/** The update that a message or click caused. The update id is null when the bot does not receive the update. */
export interface SubmittedUpdate {
  readonly updateId: number | null;
  readonly callbackQueryId: string | null;
}

/** Creates a client that acts as the people of the simulator at `baseUrl`. Its calls throw SetupError with a remedy. */
export function createSimulatorClient(baseUrl: string) {
  const client = createClient(baseUrl);
  const callOrExplain = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
    try {
      return await answer;
    } catch (cause) {
      if (!(cause instanceof TypeError)) throw cause; // fetch throws TypeError when the connection fails
      const remedy = 'Is `npm start` still running?';
      throw new SetupError(`The chat at ${baseUrl} does not answer.`, { remedy, cause });
    }
  };
  return {
    /** Returns messages that are new or edited since `after`, and the `after` of the next call. */
    read: ({ person, chat }: ChatAuthor, after: number): Promise<Pick<MessagesView, 'seq' | 'messages'>> =>
      callOrExplain(client.get<MessagesView>(`/api/chats/${chat}/messages?as=${person}&after=${after}`)),
    send: async ({ person, chat }: ChatAuthor, text: string): Promise<SubmittedUpdate> => {
      const { updateId } = await callOrExplain(client.say(person, text, { chat }));
      return { updateId, callbackQueryId: null };
    },
    click: ({ person, chat }: ChatAuthor, button: string): Promise<SubmittedUpdate> =>
      callOrExplain(client.click(person, button, { chat })),
    /** Returns whether the bot has answered a click, and its notice, which may be empty. */
    readNotice: (id: string): Promise<{ readonly answered: boolean; readonly text: string }> =>
      callOrExplain(client.clickAnswer(id)),
    /** Finds a person by id and their chat by title or id; the default is the private chat with the bot. */
    findSpeaker: async (person: number, chat: string | undefined): Promise<ChatAuthor> => {
      const people = await callOrExplain(client.get<readonly PersonView[]>('/api/people'));
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
