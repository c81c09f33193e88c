import { randomUUID } from 'node:crypto';
import { linkIdentity } from '@signalbox/store/people/identities';
import type { Pool } from '@signalbox/store/pool';
import type { SimulatorClient } from '@signalbox/whatsapp-simulator/simulator-client';
import { read, tell, type Program } from '../ingress/program.ts';
import { TestPage } from '../web/page.ts';
import { cookieOf, postSession } from '../web/requests.ts';
import { START_KEY } from './wiring.ts';
import type { Person } from './person.ts';

/** Somebody at the other end of a channel, whichever it is. */
export interface Speaker {
  readonly userKey: string;
  say(text: string): Promise<void>;
  /** What the bot has said there, oldest first, as it stands now. */
  heard(): Promise<readonly string[]>;
  /** Presses the newest button of that label. */
  press(label: string): Promise<void>;
}

export function speakInTelegram(person: Person): Speaker {
  return {
    userKey: String(person.id),
    say: (text) => person.send(text),
    heard: async () => (await person.heard()).map(({ text }) => text),
    press: (label) => person.click(label),
  };
}

/** Signs in at the page as a demo person. */
export async function speakOnThePage(url: string, person: string): Promise<Speaker & { close(): Promise<void> }> {
  const answer = await postSession(`${url}/${START_KEY}`, { person });
  const cookie = cookieOf(answer);
  if (cookie === null) throw new Error(`the page answered ${answer.status}: ${await answer.text()}`);
  const page = await new TestPage({ url, cookie }).opened();
  return {
    userKey: `web-${person}`,
    say: async (text) => void page.say(text),
    heard: async () =>
      page.shown.filter(({ props }) => props['author'] !== 'person').map(({ props }) => String(props['text'])),
    press: async (label) => page.press(label),
    close: () => page.close(),
  };
}

/** Writes from a number that belongs to a person of the product. */
export async function speakInWhatsApp(
  people: SimulatorClient,
  pool: Pool,
  { number, person }: { readonly number: string; readonly person: string },
): Promise<Speaker> {
  const userKey = `whatsapp-${number}`;
  await linkIdentity(pool, { userKey, channel: 'whatsapp', name: `P${person}` }, person);
  return {
    userKey,
    say: async (text) => void (await people.say(number, text)),
    heard: async () => (await people.messages(number)).filter(({ fromBot }) => fromBot).map(({ text }) => text),
    press: async (label) => void (await people.press(number, label)),
  };
}

/** A program that writes to one conversation, and reads what became of each of its events. */
export function speakAsProgram(program: Program): Speaker {
  const events: string[] = [];
  const conversation = randomUUID();
  const newest = async () =>
    (await Promise.all(events.map((id) => read(program, id)))).flatMap(({ messages }) => messages);
  return {
    userKey: `ingress-${program.source}`,
    say: async (text) => void events.push(await tell(program, { text, conversation })),
    heard: async () => (await newest()).map(({ text }) => text),
    press: async (label) => {
      const offers = (await newest()).flatMap(({ id, buttons }) =>
        buttons.filter((button) => button.label === label).map(({ index }) => ({ message: id, index })),
      );
      const press = offers.at(-1);
      if (!press) throw new Error(`no button says ${label}`);
      events.push(await tell(program, { press, conversation }));
    },
  };
}
