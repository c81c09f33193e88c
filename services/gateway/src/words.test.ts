import { expect, test } from 'vitest';
import * as words from './words.ts';

const { status } = words;

const QUIET = { running: false, oldestMs: null, open: 0, thread: null, jobs: [] };

test('a status says that nothing is going on in one line', () => {
  expect(status(QUIET)).toBe('Nothing is running.');
});

test('a status names the turn, what waits, the topic and the jobs', () => {
  const text = status({
    running: true,
    oldestMs: 12_300,
    open: 3,
    thread: { threadId: 'user_1001_7', title: 'ship shop', awaiting: false },
    jobs: [{ job: 'deploy.run', status: 'running', ageMs: 130_000 }],
  });
  expect(text.split('\n\n')).toEqual([
    'I have been working for 12 s.',
    '2 messages are waiting.',
    'Conversation: `user_1001_7` (ship shop).',
    'Job deploy.run: running, 2 min.',
  ]);
});

test('one waiting message is not messages', () => {
  expect(status({ ...QUIET, open: 1 })).toContain('1 message is waiting.');
});

test('a status says when it is the person whose turn it is', () => {
  const thread = { threadId: 'user_1_1', title: null, awaiting: true };
  expect(status({ ...QUIET, thread })).toContain('`user_1_1`, waiting for your answer.');
});

test('a name never formats our text', () => {
  const name = '[x](https://evil.example) **A**';
  const person = { name, userKey: '1', role: 'admin', channel: 'telegram' } as const;
  for (const text of [
    words.welcome(name),
    words.owner(name),
    words.whoami(person),
    words.invited(name, 'viewer', false),
    words.invitationUsed(person),
    words.allowed(person, 'viewer', 'added'),
    words.denied(person),
    words.people([person], []),
    words.invitation({ role: 'viewer', name, validMs: 1, code: 'X', link: null }),
  ]) {
    expect(text).toContain('\\[x\\](https://evil.example) \\*\\*A\\*\\*');
  }
});

test('a list of many people is cut, and says so', () => {
  const users = Array.from({ length: 60 }, (_, n) => ({
    userKey: String(n),
    name: 'P',
    role: 'viewer' as const,
    channel: 'telegram',
  }));
  expect(words.people(users, [])).toContain('60 people may speak here');
  expect(words.people(users, [])).toContain('- and 10 more');
});
