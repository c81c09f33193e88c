import { expect, test } from 'vitest';
import { help, owner, status, welcome, whoami } from './words.ts';

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
    'Topic: `user_1001_7` (ship shop).',
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

test('a viewer is offered nothing that changes anything', () => {
  expect(help('viewer')).not.toMatch(/create|allocate/);
  expect(help('developer')).toMatch(/allocate a port/);
});

test('a name never formats our text', () => {
  const name = '[x](https://evil.example) **A**';
  for (const text of [welcome(name), owner(name), whoami({ name, userKey: '1', role: 'admin' })]) {
    expect(text).toContain('\\[x\\](https://evil.example) \\*\\*A\\*\\*');
  }
});
