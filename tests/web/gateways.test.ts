import { randomUUID } from 'node:crypto';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { startOwnRedis } from '../support/redis.ts';
import { openTcpRelay } from '../support/tcp-relay.ts';
import { until } from '../support/until.ts';
import { CHAT, openBench, type WebBench } from './bench.ts';
import type { TestPage } from './page.ts';
import { signedIn } from './requests.ts';

let bench: WebBench;
const pages: TestPage[] = [];
afterEach(async () => {
  for (const page of pages.splice(0)) page.socket.terminate();
  await bench.harness.close();
});

const openTwo = async () => {
  const first = await bench.start();
  const second = await bench.start({ GATEWAY_NAME: 'other' });
  const cookie = await bench.signIn(first.url);
  const [near, far] = [await bench.open({ url: first.url, cookie }), await bench.open({ url: second.url, cookie })];
  return { first, second, cookie, near, far };
};
const inbox = (): Promise<readonly { text: string }[]> =>
  bench.harness.rows(`select envelope ->> 'text' as text from inbox order by id`);

test('one session that is open at two gateways is one conversation in one order', async () => {
  bench = await openBench(pages);
  const { near, far } = await openTwo();
  for (let n = 0; n < 20; n += 1) (n % 2 === 0 ? near : far).say(`number ${n}`);
  await until(() => near.texts().length >= 20 && far.texts().length >= 20);
  expect(near.texts()).toEqual(far.texts());
  const said = near.texts().filter((text) => text.startsWith('number'));
  expect(said.toSorted()).toEqual((await inbox()).map(({ text }) => text).toSorted());
  // What each page said is in the order in which it said it.
  const numbers = said.map((text) => Number(text.split(' ')[1]));
  for (const rest of [0, 1]) {
    const ofPage = numbers.filter((n) => n % 2 === rest);
    expect(ofPage).toEqual(Array.from({ length: 10 }, (_, n) => 2 * n + rest));
  }
});

test('a message that a page sends through two gateways is stored once', async () => {
  bench = await openBench(pages);
  const { near, far } = await openTwo();
  const ids = Array.from({ length: 10 }, () => randomUUID());
  for (const id of ids) for (const page of [near, far]) page.say(`message ${id}`, id);
  near.say('near the end');
  far.say('far at the end');
  await until(() => [near, far].every((page) => page.find('near the end') && page.find('far at the end')));
  expect(await inbox()).toHaveLength(12);
  expect(near.texts().filter((text) => text.startsWith('message'))).toHaveLength(10);
});

test('a draft is shown at every gateway, and the message replaces it', async () => {
  bench = await openBench(pages);
  const { near, far } = await openTwo();
  const { redis, prefix } = bench.harness;
  const draft = {
    chatKey: CHAT,
    userKey: 'web-1001',
    turnId: 'turn_1',
    draftId: 7,
    seq: 1,
    text: 'I am **loo',
    final: false,
  };
  await until(() => near.frames.length > 0 && far.frames.length > 0);
  await redis.publish(`${prefix}draft`, JSON.stringify(draft));
  await until(() => [near, far].every((page) => page.components.get('draft')?.props['text'] === 'I am **loo'));
  await redis.publish(`${prefix}draft`, JSON.stringify({ ...draft, seq: 2, text: '', final: true }));
  await bench.harness.say(CHAT, [{ text: 'I am **looking**.' }]);
  await until(() => [near, far].every((page) => page.find('looking') && !page.components.has('draft')));
  for (const page of [near, far]) {
    expect(page.of('server.transcript.partial').map(({ payload }) => payload.text)).toEqual(['I am **loo']);
    // It goes and the message comes in one step.
    const steps = page.of('server.a2ui.patch').map(({ payload }) => payload.steps.map(({ op }) => op));
    expect(steps).toContainEqual(['remove', 'put']);
  }
});

test('pages get every message while Redis is away, because gateways poll for changes', async () => {
  const redis = await startOwnRedis();
  onTestFinished(() => redis.stop());
  bench = await openBench(pages, redis.url);
  const { near, far } = await openTwo();
  near.say('before');
  await until(() => far.find('before'));
  await redis.kill();
  near.say('while it is away');
  await until(() => far.find('while it is away'), 30_000);
  await redis.restart({ empty: true });
  far.say('/whoami');
  await until(() => [near, far].every((page) => page.find('You are Ada')), 30_000);
  expect(near.texts()).toEqual(far.texts());
  expect(await inbox()).toHaveLength(3);
});

test('a gateway that stops closes its pages, which continue at the other gateway', async () => {
  bench = await openBench(pages);
  const { first, second, cookie, near, far } = await openTwo();
  near.say('before');
  await until(() => near.find('before'));
  await first.close();
  await until(() => near.closed !== null);
  expect(near.closed?.code).toBe(1001);
  far.say('meanwhile');
  const back = await bench.open({ url: second.url, cookie, after: near.seq }, near);
  await until(() => back.find('meanwhile'));
  expect(back.texts()).toEqual(['before', 'meanwhile']);
});

test('messages that a page sends while Postgres is away are stored once and in order afterwards', async () => {
  bench = await openBench(pages);
  const relay = await openTcpRelay(Number(new URL(bench.harness.wiring.databaseUrl('gateway')).port));
  onTestFinished(() => relay.close());
  const url = new URL(bench.harness.wiring.databaseUrl('gateway'));
  url.port = String(relay.port);
  const gateway = await bench.start({ DATABASE_URL: url.href });
  const page = await bench.open({ url: gateway.url, cookie: await bench.signIn(gateway.url) });
  page.say('before');
  await until(() => page.find('before'));
  relay.cut();
  for (let n = 0; n < 5; n += 1) page.say(`while away ${n}`);
  await until(() => gateway.lines.some(({ message }) => message === 'what pages said is not admitted yet'));
  expect([page.texts(), await inbox()]).toEqual([['before'], [{ text: 'before' }]]);
  relay.mend();
  await until(() => page.find('while away 4'), 30_000);
  const said = ['before', ...Array.from({ length: 5 }, (_, n) => `while away ${n}`)];
  expect((await inbox()).map(({ text }) => text)).toEqual(said);
  expect(page.texts()).toEqual(said);
});

test('a page that is opened while Postgres is away retries, and opens when Postgres is back', async () => {
  bench = await openBench(pages);
  const relay = await openTcpRelay(Number(new URL(bench.harness.wiring.databaseUrl('gateway')).port));
  onTestFinished(() => relay.close());
  const url = new URL(bench.harness.wiring.databaseUrl('gateway'));
  url.port = String(relay.port);
  const gateway = await bench.start({ DATABASE_URL: url.href });
  const cookie = await bench.signIn(gateway.url);
  relay.cut();
  const early = await bench.open({ url: gateway.url, cookie });
  await until(() => early.closed !== null);
  expect(early.closed?.code).toBe(1013);
  const session = await fetch(`${gateway.url}/session`, { headers: signedIn(cookie) });
  expect([session.status, session.headers.get('retry-after')]).toEqual([503, '3']);
  expect(gateway.lines.filter(({ level }) => level === 'error')).toEqual([]);
  relay.mend();
  await until(
    async () => (await fetch(`${gateway.url}/session`, { headers: signedIn(cookie) })).status === 200,
    30_000,
  );
  const page = await bench.open({ url: gateway.url, cookie });
  page.say('after it');
  await until(() => page.find('after it'));
});

test('a page that stops reading is closed without delaying others, and gets the rest after a reconnect', async () => {
  bench = await openBench(pages);
  const { near, first, cookie } = await openTwo();
  const stuck = await bench.open({ url: first.url, cookie });
  await until(() => stuck.frames.length > 0);
  stuck.socket.pause();
  const large = 'A long report. '.repeat(60_000);
  const count = 24; // more than both ends of a socket hold
  for (let n = 0; n < count; n += 1) await bench.harness.say(CHAT, [{ text: `${n}. ${large}` }]);
  await until(() => near.components.size === count, 30_000);
  await until(() => first.lines.some(({ message }) => message === 'a page that does not read is closed'), 30_000);
  stuck.socket.resume();
  await until(() => stuck.closed !== null, 30_000);
  expect([4003, 1006]).toContain(stuck.closed?.code);
  expect(stuck.components.size).toBeLessThan(count);
  const back = await bench.open({ url: first.url, cookie, after: stuck.seq }, stuck);
  await until(() => back.components.size === count, 30_000);
  expect(back.texts()).toEqual(near.texts());
});
