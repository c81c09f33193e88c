import { expect, test } from 'vitest';
import { describeStatus } from './status.ts';

const QUIET = { running: false, oldestMs: null, open: 0, thread: null, jobs: [] };

test('the answer to /status is one line when nothing runs or waits', () => {
  expect(describeStatus(QUIET)).toBe('Nothing is running.');
});

test('the answer to /status lists the running turn, waiting messages, the conversation and jobs', () => {
  const text = describeStatus({
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

test('the answer to /status counts one waiting message in the singular', () => {
  expect(describeStatus({ ...QUIET, open: 1 })).toContain('1 message is waiting.');
});

test('the answer to /status says when the agent waits for the person', () => {
  const thread = { threadId: 'user_1_1', title: null, awaiting: true };
  expect(describeStatus({ ...QUIET, thread })).toContain('`user_1_1`, waiting for your answer.');
});
