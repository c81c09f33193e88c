import { z } from 'zod';
import { act, readChat } from '../chat.ts';
import { nextCard, withoutCards, type Voice } from './voice.ts';

const Sent = z.object({ updateId: z.number() });

/** A person in the simulated Telegram. */
export async function openTelegramVoice(simulatorUrl: string, id: number): Promise<Voice> {
  const userKey = String(id);
  const pressed = new Set<number>();
  await act(simulatorUrl, '/api/people', { id, name: `P${id}` });
  return {
    channel: 'telegram',
    id,
    userKey,
    say: async (text) => String(Sent.parse(await act(simulatorUrl, '/api/messages', { from: id, text })).updateId),
    hear: async () => withoutCards((await readChat(simulatorUrl, userKey)).map(({ text }) => text)),
    confirm: async () => {
      const cards = (await readChat(simulatorUrl, userKey)).filter(({ buttons }) =>
        buttons?.flat().some(({ text }) => text === 'Confirm'),
      );
      const messageId = nextCard(
        cards.map((card) => card.messageId),
        pressed,
      );
      if (messageId !== undefined) await act(simulatorUrl, '/api/clicks', { from: id, messageId, button: 'Confirm' });
    },
    close: async () => undefined,
  };
}
