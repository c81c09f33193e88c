import { readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import type { MessagesView, PersonView } from '@signalbox/telegram-simulator/people/person-api';
import { createSimulatorClient } from '@signalbox/telegram-simulator/simulator-client';
import type { ChatView } from '@signalbox/telegram-simulator/store/chat-shapes';
import type { MessageView } from '@signalbox/telegram-simulator/store/message-view';
import { eventually } from '../support/until.ts';
import type { Act } from './session.ts';

/** A message of a chat as it stands. */
interface SeenMessage {
  readonly chat: string;
  readonly message: MessageView;
}

export type People = Awaited<ReturnType<typeof openPeople>>;

/** Speaks and reads as the people of a simulator. */
export async function openPeople(simulatorUrl: string) {
  const client = createSimulatorClient(simulatorUrl);
  const people = await client.get<readonly PersonView[]>('/api/people');
  const chatsOf = async ({ id: as, name }: PersonView) => {
    const chats = await client.get<readonly ChatView[]>(`/api/chats?as=${as}`);
    return chats.map(({ id, title }) => ({ as, id, title: id === as ? `${name} (${as})` : title }));
  };
  const views = (await Promise.all(people.map(chatsOf))).flat();
  /** All messages of all chats, each once: people of a group see the same ones. */
  const readAll = async (): Promise<readonly SeenMessage[]> => {
    const read = async ({ as, id, title }: (typeof views)[number]): Promise<readonly SeenMessage[]> => {
      const { messages } = await client.get<MessagesView>(`/api/chats/${id}/messages?as=${as}&after=0`);
      return messages.map((message) => ({ chat: title, message }));
    };
    const all = (await Promise.all(views.map(read))).flat();
    return [...new Map(all.map((seen) => [seen.message.messageId, seen])).values()];
  };
  return {
    readAll,
    /** How many messages the bot has sent to all people. */
    countSaid: async (): Promise<number> => (await readAll()).filter(({ message }) => message.from.isBot).length,
    /** Presses, says or sends. Returns the notice after a press; empty without one. `folder`: where the act's file is. */
    act: async (act: Omit<Act, 'requests' | 'messages'>, folder: string): Promise<string> => {
      const { as, say = '', file, press } = act;
      const chat = act.chat ?? as;
      if (press === undefined) {
        await client.say(as, say, { chat, files: file === undefined ? [] : [readFile(`${folder}/${file}`)] });
        return '';
      }
      const { callbackQueryId } = await client.click(as, press, { chat });
      return (
        await eventually(
          () => client.clickAnswer(callbackQueryId),
          ({ answered }) => answered,
        )
      ).text;
    },
    /** The label of a button by its number in the newest message with buttons that this person sees in the chat. */
    findLabel: async (as: number, number: number, chat: 'ops' | undefined): Promise<string> => {
      const all = await client.messages(as, chat);
      const buttons = all.findLast((message) => !message.deleted && (message.buttons ?? []).length > 0)?.buttons ?? [];
      const label = buttons.flat()[number - 1]?.text;
      if (label === undefined) throw new Error(`The newest message with buttons has no button ${number}.`);
      return label;
    },
  };
}

const PHOTOS = new Set(['.png', '.jpg', '.gif']);

function readFile(path: string) {
  const file = { name: basename(path), data: readFileSync(path, 'base64') };
  if (extname(path) === '.ogg') return { ...file, kind: 'voice' as const, type: 'audio/ogg', durationSeconds: 3 };
  return PHOTOS.has(extname(path)) ? { ...file, kind: 'photo' as const } : { ...file, type: 'text/plain' };
}

/** Writes a message for a reader: author, words, file, and the buttons with their numbers. */
export function describeMessage({ from, text, file, buttons, deleted }: MessageView): string {
  if (deleted) return '(deleted)';
  const attached = file === null ? '' : ` [file ${file.name}, ${file.sizeBytes} bytes]`;
  const labels = (buttons ?? []).flat().map((button, i) => `[${i + 1} ${button.text}]`);
  return `${from.isBot ? 'bot' : from.name}: ${text}${attached}${labels.length === 0 ? '' : `\n    ${labels.join(' ')}`}`;
}

/** Writes what every person sees at the end, chat by chat. */
export function writeTranscript(all: readonly SeenMessage[]): string {
  const chats = new Map<string, readonly MessageView[]>();
  for (const { chat, message } of all) chats.set(chat, [...(chats.get(chat) ?? []), message]);
  const sections = [...chats].map(([chat, messages]) => [`=== ${chat}`, ...messages.map(describeMessage)].join('\n'));
  return `${sections.join('\n\n')}\n`;
}
