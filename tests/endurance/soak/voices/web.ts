import { setTimeout as delay } from 'node:timers/promises';
import { createIdentityCode } from '@signalbox/store/people/identities';
import type { Pool } from '@signalbox/store/pool';
import { TestPage } from '../../../web/page.ts';
import { cookieOf, postSession } from '../../../web/requests.ts';
import { nextCard, withoutCards, type Voice } from './voice.ts';

const RECONNECT_MS = 500;
const OPEN = 1;

/** A person at our page, which comes back whenever it loses its socket, and says again what it has seen no echo of. */
export async function openWebVoice(pool: Pool, url: string, id: number): Promise<Voice> {
  const response = await postSession(url, { code: await createIdentityCode(pool, String(id)) });
  if (response.status !== 200) throw new Error(`sign-in answered ${response.status}`);
  const cookie = cookieOf(response);
  const unconfirmed = new Map<string, string>();
  const pressed = new Set<string>();
  const closing = new AbortController();
  let page = await new TestPage({ url, cookie }).opened();
  const comeBack = async (): Promise<void> => {
    page.socket.terminate();
    page = new TestPage({ url, cookie, after: page.seq }, page);
    // A gateway that is frozen takes the connection and says nothing.
    await page.opened().catch(() => undefined);
    if (page.socket.readyState !== OPEN) return;
    for (const [said, text] of unconfirmed) page.say(text, said);
  };
  const watch = (async () => {
    while (!closing.signal.aborted) {
      for (const said of unconfirmed.keys()) if (page.components.has(`in.${said}`)) unconfirmed.delete(said);
      if (page.socket.readyState !== OPEN) await comeBack();
      await delay(RECONNECT_MS);
    }
  })();
  let count = 0;
  return {
    channel: 'web',
    id,
    userKey: `web-${id}`,
    say: async (text) => {
      const said = `m${(count += 1)}`;
      unconfirmed.set(said, text);
      if (page.socket.readyState === OPEN) page.say(text, said);
      return `${id}:${said}`;
    },
    hear: async () => {
      const messages = page.shown.filter((one) => one.type === 'Message' && !one.id.startsWith('in.'));
      return withoutCards(messages.map(({ props }) => String(props['text'])));
    },
    confirm: async () => {
      if (page.socket.readyState !== OPEN) return;
      const cards = page.withButton('Confirm').map((card) => card.id);
      page.press('Confirm', nextCard(cards, pressed));
    },
    close: async () => {
      closing.abort();
      page.socket.terminate();
      await watch;
    },
  };
}
