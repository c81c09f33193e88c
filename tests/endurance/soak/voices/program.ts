import { setTimeout as delay } from 'node:timers/promises';
import { say } from '@signalbox/messages/say';
import { tell, type Program } from '../../../ingress/program.ts';
import type { Receiver } from '../../../ingress/receiver.ts';
import { withoutCards, type Voice } from './voice.ts';

const AGAIN_MS = 1_000;
const ACCEPT_MS = 300_000;

/** A program that writes over the ingress, and reads what comes to its callback. It sends each event until that was accepted. */
export function openProgramVoice(program: Program, { taken }: Pick<Receiver, 'taken'>, id: number): Voice {
  let count = 0;
  return {
    channel: 'ingress',
    id,
    userKey: `ingress-${program.source}`,
    say: async (text) => {
      const event = { id: `${program.source}-${(count += 1)}`, text, conversation: 'builds' };
      for (const end = Date.now() + ACCEPT_MS; ;) {
        const accepted = await tell(program, event).catch(() => null);
        if (accepted !== null) return accepted;
        if (Date.now() > end) throw new Error(`no gateway accepts ${event.id}`);
        await delay(AGAIN_MS);
      }
    },
    hear: async (updateId) =>
      withoutCards(
        taken()
          .filter(({ event }) => event === updateId)
          .map(({ message }) => (message.notice === undefined ? '' : `${say('gateway.repeated')}\n`) + message.text),
      ),
    confirm: async () => undefined, // a program decides nothing
    close: async () => undefined,
  };
}
