import { createSecretOpener } from '@signalbox/jobs/runner/open-secret';
import { putSecrets } from '@signalbox/store/secrets';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { INDEXED, openJobsBench, TEST_CIPHER, until, type JobsBench } from './bench.ts';

let bench: JobsBench;
beforeEach(async () => {
  bench = await openJobsBench(undefined, { standsFor: 'deploy' });
});
afterEach(() => bench.close());

const ended = (runId: string) =>
  until(async () => {
    const run = await bench.runs.find(runId);
    return run?.status === 'done' || run?.status === 'failed' ? run : null;
  });
const said = async () =>
  (
    await bench.pool.query<{ chat: string; user: string; slot: string; text: string }>(
      `select chat_key as chat, user_key as user, slot, body ->> 'text' as text from outbox order by id`,
    )
  ).rows;

it('a running job writes to the chat of its requester, and keeps one message per slot', async () => {
  bench.startRunner(async (_payload, { tell }) => {
    await Promise.all([tell('10 %', { slot: 'bar' }), tell('60 %', { slot: 'bar' })]);
    await tell('60 %', { slot: 'bar' });
    await tell('Look here.', { slot: 'note' });
    return INDEXED;
  });
  await bench.ask('act_1', '1001');
  await ended('act_1');
  const head = { chat: 'telegram:1001', user: '1001' };
  expect(await said()).toEqual([
    { ...head, slot: 'act_1/bar', text: '10 %' },
    { ...head, slot: 'act_1/bar', text: '60 %' },
    { ...head, slot: 'act_1/note', text: 'Look here.' },
  ]);
});

it('a second attempt of a job edits the message of the first attempt, and does not repeat its text', async () => {
  bench.startRunner(async (_payload, { tell, attempt }) => {
    await tell('Building.', { slot: 'bar' });
    if (attempt === 1) throw Object.assign(new Error('gone'), { code: 'ECONNRESET' });
    await tell('Built.', { slot: 'bar' });
    return INDEXED;
  });
  await bench.ask('act_1');
  expect(await ended('act_1')).toMatchObject({ status: 'done', attempts: 2 });
  expect((await said()).map(({ slot, text }) => [slot, text])).toEqual([
    ['act_1/bar', 'Building.'],
    ['act_1/bar', 'Built.'],
  ]);
});

it('a process that lost its run sends no more messages, and its handler is aborted', async () => {
  const stopped: unknown[] = [];
  bench.startRunner(async (_payload, { tell, signal }) => {
    await tell('First.', { slot: 'bar' });
    await bench.pool.query(`update runs set epoch = epoch + 1 where run_id = 'act_1'`);
    await tell('Second.', { slot: 'bar' });
    stopped.push(signal.aborted);
    return INDEXED;
  });
  await bench.ask('act_1');
  await until(() => stopped.length > 0);
  expect(stopped[0]).toBe(true);
  expect((await said()).map(({ text }) => text)).toEqual(['First.']);
});

it('a run without a requester sends no message', async () => {
  bench.startRunner(async (_payload, { tell, owner }) => {
    await tell(`for ${owner?.userKey}`, { slot: 'bar' });
    return INDEXED;
  });
  const run = { runId: 'act_1', job: 'knowledge.index', payload: {}, person: null, threadId: null, traceId: 'trc' };
  await bench.runs.create(run);
  await bench.queue.enqueue('knowledge.index', { runId: 'act_1', traceId: 'trc' });
  expect(await ended('act_1')).toMatchObject({ status: 'done' });
  expect(await said()).toEqual([]);
});

const HANDLE = 'secret:db-password';
const keep = (userKey: string): Promise<void> => {
  const ciphertext = TEST_CIPHER.seal('sunshine and rain', { userKey, handle: HANDLE });
  return putSecrets(bench.pool, [{ userKey, handle: HANDLE, kind: 'named', ciphertext, keptMs: null }]);
};
const audited = async () =>
  (await bench.pool.query(`select kind, actor, data from audit_events where kind like 'secret.%' order by event_id`))
    .rows;

it('messages of a job do not contain the secrets it opened', async () => {
  await keep('1001');
  bench.startRunner(async (_payload, { tell, openSecret }) => {
    await tell(`It is ${await openSecret(HANDLE, 'look')}!`, { slot: 'bar' });
    return INDEXED;
  });
  await bench.ask('act_1', '1001');
  await ended('act_1');
  expect((await said()).map(({ text }) => text)).toEqual(['It is [secret]!']);
});

it('a secret of another person is opened only for a job that deploys', async () => {
  await keep('1002');
  bench.startRunner(async (_payload, { openSecret }) => {
    await openSecret(HANDLE, 'look', '1002');
    return INDEXED;
  });
  await bench.ask('act_1', '1001');
  expect(await ended('act_1')).toMatchObject({ status: 'failed' });
  expect(await audited()).toEqual([]);
});

it("a deployment that opens another person's secret is audited with requester and owner", async () => {
  await keep('1002');
  const open = createSecretOpener({ pool: bench.pool, cipher: TEST_CIPHER });
  const use = { actor: '1001', threadId: null, runId: 'act_1', owner: '1002', handle: HANDLE, purpose: 'start shop' };
  expect(await open(use)).toBe('sunshine and rain');
  await expect(open({ ...use, owner: '1003' })).rejects.toMatchObject({ code: 'SECRET_UNKNOWN' });
  const data = { handle: HANDLE, purpose: 'start shop' };
  expect(await audited()).toEqual([
    { kind: 'secret.used', actor: '1001', data: { ...data, owner: '1002' } },
    { kind: 'secret.refused', actor: '1001', data: { ...data, owner: '1003' } },
  ]);
});
