import { createHash, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { eventually, until } from '../support/until.ts';
import { START_KEY } from '../support/wiring.ts';
import { bench, useBench, type WebGateway } from '../web/bench.ts';
import { TestPage } from '../web/page.ts';

useBench();

const PEOPLE = 500;
const SAID_BY_EACH = 3;
const TOLD_TO_EACH = 8;
/** Sockets that are cut in the middle, over all pages. */
const CUTS = 3_000;

/** A person with a page that comes back whenever it loses its socket, and says again what it saw no echo of. */
class Visitor {
  readonly id: string;
  readonly #cookie: string;
  readonly #gateways: readonly WebGateway[];
  readonly #unconfirmed = new Map<string, string>();
  page: TestPage | null = null;
  connections = 0;
  /** Numbers of patches that came although the page had them. */
  repeated = 0;
  #opening: Promise<void> | null = null;

  constructor(id: string, cookie: string, gateways: readonly WebGateway[]) {
    this.id = id;
    this.#cookie = cookie;
    this.#gateways = gateways;
  }

  connect(): Promise<void> {
    return (this.#opening ??= this.#open().finally(() => (this.#opening = null)));
  }

  async #open(): Promise<void> {
    const before = this.page;
    const gateway = this.#gateways[this.connections % this.#gateways.length];
    this.connections += 1;
    const after = before ? { after: before.seq } : {};
    const page = new TestPage({ url: gateway?.url ?? '', cookie: this.#cookie, ...after }, before);
    this.page = page;
    let last = before?.seq ?? 0;
    page.socket.on('message', (data) => {
      const { type, payload } = JSON.parse((data as Buffer).toString()) as {
        type: string;
        payload: { seq: number; steps: { op: string; component?: { id: string } }[] };
      };
      if (type !== 'server.a2ui.patch' || payload.steps.every(({ component }) => component?.id === 'notice')) return;
      if (payload.seq <= last && before) this.repeated += 1;
      last = payload.seq;
      for (const { component } of payload.steps) if (component) this.#unconfirmed.delete(component.id);
    });
    await page.opened();
    if (page.closed || page.refused) return;
    for (const [id, text] of this.#unconfirmed) page.say(text, id.slice('in.'.length));
  }

  say(text: string, id: string): void {
    this.#unconfirmed.set(`in.${id}`, text);
    if (this.page?.socket.readyState === 1) this.page.say(text, id);
  }

  cut(): void {
    this.page?.socket.terminate();
  }

  get isConnected(): boolean {
    return this.page?.socket.readyState === 1;
  }
}

test('five hundred web pages that lose their connections at random, at two gateways, miss no message and get none twice', async () => {
  const gateways = [await bench.start(), await bench.start({ GATEWAY_NAME: 'other' })];
  const visitors = await signInCrowd(gateways);
  await inTurns(visitors, 25, (visitor) => visitor.connect());

  let isOver = false;
  const keepConnected = async (): Promise<void> => {
    while (!isOver) {
      await inTurns(
        visitors.filter(({ isConnected }) => !isConnected),
        25,
        (visitor) => visitor.connect(),
      );
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const cutSome = async (): Promise<void> => {
    for (let n = 0; n < CUTS; n += 1) {
      visitors[Math.floor(Math.random() * PEOPLE)]?.cut();
      if (n % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  const speak = async (): Promise<void> => {
    for (let n = 0; n < SAID_BY_EACH; n += 1)
      for (const [place, visitor] of visitors.entries()) {
        visitor.say(`${visitor.id} says ${n}`, `${visitor.id}-${n}`);
        if (place % 25 === 0) await new Promise((resolve) => setTimeout(resolve, 50));
      }
  };
  const tell = async (): Promise<void> => {
    for (let n = 0; n < TOLD_TO_EACH; n += 1)
      await inTurns(visitors, 4, async ({ id }) => {
        // Some change what was said before.
        await bench.harness.say(`web:${id}`, [{ text: `${id} hears ${n}`, slot: n % 4 === 3 ? `slot ${id}` : null }]);
      });
  };
  const connecting = keepConnected();
  await Promise.all([cutSome(), speak(), tell()]);
  const count = async (query: string): Promise<number> =>
    Number((await bench.harness.rows<{ n: string }>(query))[0]?.n);
  const counts = () =>
    Promise.all([
      count(`select count(*) as n from outbox where status = 'sent'`),
      count('select count(*) as n from inbox'),
    ]);
  await eventually(counts, ([told, said]) => told === PEOPLE * TOLD_TO_EACH && said === PEOPLE * SAID_BY_EACH, 120_000);

  const rows = await bench.harness.rows<{ chat_key: string; text: string }>(`
    select chat_key, patch -> 'props' ->> 'text' as text from web_patches where patch is not null order by chat_key, place`);
  const stored = new Map(
    visitors.map(({ id }) => [`web:${id}`, rows.filter((row) => row.chat_key === `web:${id}`).map(({ text }) => text)]),
  );
  const isWhole = ({ id, page }: Visitor): boolean =>
    JSON.stringify(page?.texts()) === JSON.stringify(stored.get(`web:${id}`));
  await until(() => visitors.every(isWhole), 60_000);
  isOver = true;
  await connecting;

  const expected = (id: string): readonly string[] => [
    ...Array.from({ length: SAID_BY_EACH }, (_, n) => `${id} says ${n}`),
    ...Array.from({ length: TOLD_TO_EACH }, (_, n) => `${id} hears ${n}`).filter(
      (_, n) => n % 4 !== 3 || n === TOLD_TO_EACH - 1,
    ),
  ];
  const lost = visitors.filter(({ id, page }) => page?.texts().toSorted().join() !== expected(id).toSorted().join());
  const connections = visitors.reduce((sum, one) => sum + one.connections, 0);
  const repeated = visitors.reduce((sum, one) => sum + one.repeated, 0);
  console.log(
    `${PEOPLE} pages, ${connections} sockets, ${PEOPLE * (SAID_BY_EACH + TOLD_TO_EACH)} messages: ${lost.length} pages lost one, ${repeated} patches came twice`,
  );
  for (const { page } of visitors) page?.socket.terminate();
  expect([lost.map(({ id }) => id), repeated]).toEqual([[], 0]);
  expect(connections).toBeGreaterThan(PEOPLE * 2);
});

/** Everybody at once, as if each had used a code. */
async function signInCrowd(gateways: readonly WebGateway[]): Promise<readonly Visitor[]> {
  const crowd = Array.from({ length: PEOPLE }, (_, n) => ({
    id: String(20_000 + n),
    token: randomBytes(32).toString('base64url'),
  }));
  const [ids, hashes] = [
    crowd.map(({ id }) => id),
    crowd.map(({ token }) => createHash('sha256').update(token).digest('hex')),
  ];
  const users = `insert into users (user_key, channel, name, role, person)`;
  await bench.harness.rows(`${users} select i, 'telegram', 'P' || i, 'developer', i from unnest($1::text[]) i`, [ids]);
  await bench.harness.rows(`${users} select 'web-' || i, 'web', 'P' || i, 'developer', i from unnest($1::text[]) i`, [
    ids,
  ]);
  await bench.harness.rows(
    `insert into web_logins (token_hash, user_key, expires_at) select h, 'web-' || i, now() + interval '1 day' from unnest($1::text[], $2::text[]) x (i, h)`,
    [ids, hashes],
  );
  // Over http the cookie is the token mixed with a key of the page and one of the start: the same twice leaves it as it is.
  const key = createHash('sha256').update(START_KEY).digest('base64url');
  return crowd.map(({ id, token }) => new Visitor(id, `signalbox=${token}#${key}`, gateways));
}

async function inTurns<T>(items: readonly T[], width: number, work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
    }),
  );
}
