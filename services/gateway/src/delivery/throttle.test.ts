import { expect, test } from 'vitest';
import { createThrottle } from './throttle.ts';

function start(options: Partial<Parameters<typeof createThrottle>[0]> = {}) {
  const clock = { ms: 0 };
  const pace = createThrottle(
    { sendsPerSecond: 28, chatSendsPerSecond: 1, chatBurst: 4, groupSendsPerMinute: 20, ...options },
    () => clock.ms,
  );
  const takeAll = (chat: string, kind: 'private' | 'group'): number => {
    let taken = 0;
    while (taken < 1_000 && pace.tryTake(chat, kind)) taken += 1;
    return taken;
  };
  return { clock, pace, takeAll };
}

test('a private chat gets a burst of four, then one a second', () => {
  const { clock, pace, takeAll } = start();
  expect(takeAll('a', 'private')).toBe(4);
  expect(pace.waitMs('a', 'private')).toBe(1_000);
  clock.ms += 1_000;
  expect(takeAll('a', 'private')).toBe(1);
});

test('a group gets twenty in a minute', () => {
  const { clock, takeAll } = start();
  expect(takeAll('g', 'group')).toBe(20);
  clock.ms += 60_000;
  expect(takeAll('g', 'group')).toBe(20);
});

test('a chat that used up its sends does not hold up another', () => {
  const { pace, takeAll } = start();
  takeAll('a', 'private');
  expect(pace.tryTake('b', 'private')).toBe(true);
});

test('all chats together stay within the global rate', () => {
  const { clock, pace } = start();
  const sendAll = (): number => {
    let taken = 0;
    for (let chat = 0; chat < 100; chat += 1) if (pace.tryTake(`c${chat}`, 'private')) taken += 1;
    return taken;
  };
  expect(sendAll()).toBe(28);
  clock.ms += 500;
  expect(sendAll()).toBe(14);
});

test('an edit gives its chat the send back, an unused one gives back both', () => {
  const { pace, takeAll } = start({ sendsPerSecond: 5 });
  expect(takeAll('a', 'private')).toBe(4);
  pace.giveBack('a', 'private', 'chat');
  expect(pace.tryTake('a', 'private')).toBe(true);
  expect(pace.tryTake('b', 'private')).toBe(false);
  pace.giveBack('a', 'private', 'all');
  expect(pace.tryTake('b', 'private')).toBe(true);
});

test('typing is dropped when sends are short', () => {
  const { pace } = start();
  expect(pace.tryTakeSpare()).toBe(true);
  for (let chat = 0; chat < 20; chat += 1) pace.tryTake(`c${chat}`, 'private');
  expect(pace.tryTakeSpare()).toBe(false);
});

test('the topics of a chat share its pace', () => {
  const { takeAll } = start();
  expect(takeAll('g/1', 'group') + takeAll('g/2', 'group') + takeAll('g', 'group')).toBe(20);
});

test('a chat that asked for a pause gets nothing before it is over, nor do its topics', () => {
  const { clock, pace } = start();
  pace.pause('a/1', 'private', 5_000);
  expect(pace.tryTake('a/2', 'private')).toBe(false);
  expect(pace.waitMs('a', 'private')).toBe(5_000);
  clock.ms += 5_000;
  expect(pace.tryTake('a', 'private')).toBe(true);
  expect(pace.tryTake('b', 'private')).toBe(true);
});
