import { createSimulatorClient } from '@signalbox/whatsapp-simulator/simulator-client';
import { nextCard, withoutCards, type Voice } from './voice.ts';

/** A person in the simulated WhatsApp, whose number ends in `id`. */
export async function openWhatsAppVoice(simulatorUrl: string, id: number): Promise<Voice> {
  const people = createSimulatorClient(simulatorUrl);
  const number = `120255${id}`;
  const pressed = new Set<string>();
  await people.addPerson(number, `P${id}`);
  const seen = async () => (await people.messages(number)).filter(({ fromBot }) => fromBot);
  return {
    channel: 'whatsapp',
    id,
    userKey: `whatsapp-${number}`,
    say: (text) => people.say(number, text),
    hear: async () => withoutCards((await seen()).map(({ text }) => text)),
    confirm: async () => {
      const cards = (await seen()).filter(({ buttons }) => buttons.some(({ title }) => title === 'Confirm'));
      const messageId = nextCard(
        cards.map((card) => card.id),
        pressed,
      );
      if (messageId !== undefined) await people.press(number, 'Confirm', messageId);
    },
    close: async () => undefined,
  };
}
