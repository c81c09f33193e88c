import type { ClaimedLane, InboxMessage } from '@signalbox/store/turns/lanes';
import { expect, test } from 'vitest';
import {
  describeAttachment,
  findFilesWithoutText,
  takeLeadingBatch,
  toDecisionBatch,
  toMessageBatch,
} from './batch.ts';

const BASE = {
  channel: 'telegram',
  bot: '100',
  updateId: '1',
  userKey: '1',
  chatKey: 'telegram:1',
  traceId: 't',
  at: '2026-01-02T03:04:05.000Z',
} as const;
const PDF = {
  kind: 'document',
  ref: 'f',
  name: 'report.pdf',
  mimeType: 'application/pdf',
  sizeBytes: 120_400,
} as const;
const SAID = { ...BASE, kind: 'message', chatKind: 'private', name: 'Ada', messageId: '1', button: null } as const;

const said = (id: number, text: string, files = 0): InboxMessage => ({
  id,
  envelope: {
    ...SAID,
    id: `m${id}`,
    text,
    ...(files > 0 ? { attachments: Array.from({ length: files }, () => PDF) } : {}),
  },
});
const news = (id: number): InboxMessage => ({
  id,
  envelope: {
    ...BASE,
    id: `m${id}`,
    kind: 'job-finished',
    runId: 'r',
    job: 'j',
    threadId: 't1',
    outcome: 'done',
    say: 'Done.',
    isOwn: false,
  },
});
const lane = (messages: readonly InboxMessage[]): ClaimedLane => ({ threadId: 't1', messages }) as ClaimedLane; // the tested functions read only these fields
const LINE = '[attached: report.pdf, application/pdf, 120 kB]';

test('a file is described to the model in one line with its known properties', () => {
  expect(describeAttachment(PDF)).toBe(LINE);
  expect(describeAttachment({ ...PDF, kind: 'photo', name: null, sizeBytes: null })).toBe(
    '[attached: photo, application/pdf]',
  );
});

test('the line of a file says where it lies, or why it does not', () => {
  expect(
    describeAttachment({ ...PDF, sizeBytes: null }, { kind: 'kept', path: 'attachments/report.pdf', sizeBytes: 7 }),
  ).toBe('[attached: report.pdf, application/pdf, 7 B; kept as attachments/report.pdf]');
  expect(describeAttachment(PDF, { kind: 'lost', why: 'full' })).toBe(
    '[attached: report.pdf, application/pdf, 120 kB; not kept: the folder of this conversation is full]',
  );
});

test('the news of a job carry the values that the runtime made', () => {
  const made = new Map([['r', ['shop/version=1.0.0']]]);
  expect(toMessageBatch([news(1)], new Map(), made).messages[0]?.event).toMatchObject({ made: ['shop/version=1.0.0'] });
  expect(toMessageBatch([news(1)]).messages[0]?.event).not.toHaveProperty('made');
});

test('the news of a decision carry the values that its action made', () => {
  const decided = {
    ...BASE,
    id: 'm1',
    kind: 'decision',
    approvalId: 'apr_1',
    actionId: 'act_1',
    threadId: 't1',
    outcome: 'approved',
  } as const;
  const made = ['port=25001'];
  const result = { ok: true, result: { port: 25_001 }, say: 'Done.', code: null, changed: true, made };
  const { messages } = toDecisionBatch(decided, { say: 'Approved.', result, about: { tool: 'allocate_port' } });
  expect(messages[0]?.event).toMatchObject({ made });
});

test('files are listed below the text of the message they came with', () => {
  expect(toMessageBatch([said(1, 'look', 2)]).messages).toEqual([
    { id: 'm1', text: `look\n${LINE}\n${LINE}`, event: null, outside: 'file' },
  ]);
});

test('files without a text join the next message, and files at the end join the last message', () => {
  const { messages, shownWith } = toMessageBatch([said(1, '', 1), said(2, 'what is this?'), said(3, ' ', 1), news(4)]);
  expect(messages.map(({ id, text }) => [id, text])).toEqual([
    ['m2', `what is this?\n${LINE}\n${LINE}`],
    ['m4', '[news of job j] Done.'],
  ]);
  expect([...shownWith]).toEqual([
    ['m1', 'm2'],
    ['m3', 'm2'],
  ]);
});

test('files that no message follows form a batch of their own, and so do notices', () => {
  expect(takeLeadingBatch(lane([said(1, '', 1), said(2, '', 1), news(3)])).map(({ id }) => id)).toEqual([1, 2]);
  expect(takeLeadingBatch(lane([news(1), said(2, '', 1)])).map(({ id }) => id)).toEqual([1]);
  expect(takeLeadingBatch(lane([said(1, '', 1), said(2, 'hello')])).map(({ id }) => id)).toEqual([1, 2]);
});

test('findFilesWithoutText returns the files of a batch only when no message of the batch has a text', () => {
  expect(findFilesWithoutText([said(1, '', 2), said(2, '', 1)])).toHaveLength(3);
  expect(findFilesWithoutText([said(1, '', 1), said(2, 'hello')])).toBeNull();
  expect(findFilesWithoutText([news(1)])).toBeNull();
  expect(findFilesWithoutText([said(1, '')])).toBeNull();
});
