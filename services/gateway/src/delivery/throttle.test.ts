import { expect, test } from 'vitest';
import { createThrottle } from './throttle.ts';

function start(options: Partial<Parameters<typeof createThrottle>[0]> = {}) {
  const clock = { ms: 0 };
  const throttle = createThrottle(
    { sendsPerSecond: 28, chatSendsPerSecond: 1, chatBurst: 4, groupSendsPerMinute: 20, ...options },
    () => clock.ms,
  );
  const takeAll = (chat: string, kind: 'private' | 'group'): number => {
    let taken = 0;
    while (taken < 1_000 && throttle.tryTake(chat, kind)) taken += 1;
    return taken;
  };
  return { clock, throttle: throttle, takeAll };
}

test('a private chat can send four messages at once, then one per second', () => {
  const { clock, throttle, takeAll } = start();
  expect(takeAll('a', 'private')).toBe(4);
  expect(throttle.waitMs('a', 'private')).toBe(1_000);
  clock.ms += 1_000;
  expect(takeAll('a', 'private')).toBe(1);
});

test('a group can send twenty messages per minute', () => {
  const { clock, takeAll } = start();
  expect(takeAll('g', 'group')).toBe(20);
  clock.ms += 60_000;
  expect(takeAll('g', 'group')).toBe(20);
});

test('a chat that has reached its rate limit does not block another chat', () => {
  const { throttle, takeAll } = start();
  takeAll('a', 'private');
  expect(throttle.tryTake('b', 'private')).toBe(true);
});

test('all chats together stay within the global rate limit', () => {
  const { clock, throttle } = start();
  const sendAll = (): number => {
    let taken = 0;
    for (let chat = 0; chat < 100; chat += 1) if (throttle.tryTake(`c${chat}`, 'private')) taken += 1;
    return taken;
  };
  expect(sendAll()).toBe(28);
  clock.ms += 500;
  expect(sendAll()).toBe(14);
});

test('an edit does not count towards the limit of its chat, and an unused send counts towards no limit', () => {
  const { throttle, takeAll } = start({ sendsPerSecond: 5 });
  expect(takeAll('a', 'private')).toBe(4);
  throttle.giveBack('a', 'private', 'chat');
  expect(throttle.tryTake('a', 'private')).toBe(true);
  expect(throttle.tryTake('b', 'private')).toBe(false);
  throttle.giveBack('a', 'private', 'all');
  expect(throttle.tryTake('b', 'private')).toBe(true);
});

test('the typing indicator is not sent when the global rate limit is nearly reached', () => {
  const { throttle } = start();
  expect(throttle.tryTakeSpare()).toBe(true);
  for (let chat = 0; chat < 20; chat += 1) throttle.tryTake(`c${chat}`, 'private');
  expect(throttle.tryTakeSpare()).toBe(false);
});

test('the topics of a chat share its rate limit', () => {
  const { takeAll } = start();
  expect(takeAll('g/1', 'group') + takeAll('g/2', 'group') + takeAll('g', 'group')).toBe(20);
});

test('a paused chat and its topics send nothing until the pause is over', () => {
  const { clock, throttle } = start();
  throttle.pause('a/1', 'private', 5_000);
  expect(throttle.tryTake('a/2', 'private')).toBe(false);
  expect(throttle.waitMs('a', 'private')).toBe(5_000);
  clock.ms += 5_000;
  expect(throttle.tryTake('a', 'private')).toBe(true);
  expect(throttle.tryTake('b', 'private')).toBe(true);
});

test('the first signs of answers take no sends, and a crowd of them stays within a limit of its own', () => {
  const { clock, throttle, takeAll } = start({ sendsPerSecond: 5 });
  let signs = 0;
  while (signs < 1_000 && throttle.tryTakeSign()) signs += 1;
  expect(signs).toBe(20);
  expect(takeAll('a', 'private')).toBe(4);
  expect(throttle.tryTake('b', 'private')).toBe(true);
  expect(throttle.tryTake('b', 'private')).toBe(false);
  clock.ms += 100;
  expect(throttle.tryTakeSign()).toBe(true);
});

test('urgent chats are granted sends before chats that have waited longer, and every fourth send is left to these', async () => {
  const { clock, throttle } = start({ sendsPerSecond: 20 });
  for (let chat = 0; chat < 20; chat += 1) throttle.tryTake(`first${chat}`, 'private');
  const granted: string[] = [];
  const stop = new AbortController();
  const wait = (chat: string, isUrgent: boolean): Promise<unknown> =>
    throttle
      .waitAndTake(chat, 'private', { isUrgent: () => isUrgent, maxWaitMs: 1_500, signal: stop.signal })
      .then((pauseMs) => (pauseMs === null ? granted.push(chat) : null));
  const waiting = [wait('a', false), wait('b', false), ...['c', 'd', 'e', 'f'].map((chat) => wait(chat, true))];
  for (let time = 1; time <= waiting.length; time += 1) {
    clock.ms += 51;
    expect(throttle.tryTake('late', 'private')).toBe(false);
    await expect.poll(() => granted.length, { timeout: 5_000, interval: 20 }).toBe(time);
  }
  await Promise.all(waiting);
  expect(granted).toEqual(['c', 'd', 'e', 'a', 'f', 'b']);
});

test('a wait for a send ends with the time to wait when the rate of the chat needs longer, and at once when it is aborted', async () => {
  const { throttle } = start();
  throttle.pause('a', 'private', 5_000);
  const never = new AbortController();
  const options = { isUrgent: () => true, maxWaitMs: 1_500, signal: never.signal };
  expect(await throttle.waitAndTake('a', 'private', options)).toBe(5_000);
  throttle.pause('b', 'private', 1_000);
  const waiting = throttle.waitAndTake('b', 'private', options);
  never.abort();
  expect(await waiting).toBe(0);
});
