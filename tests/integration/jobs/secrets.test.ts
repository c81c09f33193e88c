import { putSecrets } from '@signalbox/store/secrets';
import { AppError } from '@signalbox/contracts/errors';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { INDEXED, openJobsBench, TEST_CIPHER, until, type JobsBench } from './bench.ts';

const VALUE = 'sunshine and rain';
const HANDLE = 'secret:db-password';

let bench: JobsBench;
beforeEach(async () => {
  bench = await openJobsBench(undefined, { standsFor: 'deploy' });
});
afterEach(() => bench.close());

const keep = (userKey: string, keptMs: number | null = null): Promise<void> => {
  const ciphertext = TEST_CIPHER.seal(VALUE, { userKey, handle: HANDLE });
  return putSecrets(bench.pool, [{ userKey, handle: HANDLE, kind: 'named', ciphertext, keptMs }]);
};
const ended = (runId: string) =>
  until(async () => {
    const run = await bench.runs.find(runId);
    return run?.status === 'done' || run?.status === 'failed' ? run : null;
  });
const audited = async (): Promise<unknown[]> =>
  (
    await bench.pool.query(
      `select kind, actor, action_id, data from audit_events where kind like 'secret.%' order by event_id`,
    )
  ).rows;

it('a job decrypts a secret of its requester, and each use is audited', async () => {
  await keep('1001');
  const opened: string[] = [];
  bench.startRunner(async (_payload, { openSecret }) => {
    opened.push(await openSecret(HANDLE, 'connect to the database of shop'));
    return INDEXED;
  });
  await bench.ask('act_1', '1001');
  expect(await ended('act_1')).toMatchObject({ status: 'done' });
  expect(opened).toEqual([VALUE]);
  const data = { handle: HANDLE, purpose: 'connect to the database of shop' };
  expect(await audited()).toEqual([{ kind: 'secret.used', actor: '1001', action_id: 'act_1', data }]);
  const { rows } = await bench.pool.query(`select used_at is not null as used from secrets`);
  expect(rows).toEqual([{ used: true }]);
});

it.each([
  ['of somebody else', () => keep('1002')],
  ['that has expired', () => keep('1001', -1)],
  ['that was never kept', async () => undefined],
])('a secret %s cannot be decrypted by anybody, and the attempt is audited', async (_, prepare) => {
  await prepare();
  bench.startRunner(async (_payload, { openSecret }) => {
    await openSecret(HANDLE, 'look');
    return INDEXED;
  });
  await bench.ask('act_1', '1001');
  expect(await ended('act_1')).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('There is no secret') as string,
  });
  expect(await audited()).toMatchObject([{ kind: 'secret.refused', actor: '1001' }]);
});

it('a secret whose row was copied to another person cannot be decrypted', async () => {
  await keep('1001');
  await bench.pool.query(`update secrets set user_key = '1002'`);
  bench.startRunner(async (_payload, { openSecret }) => {
    await openSecret(HANDLE, 'look');
    return INDEXED;
  });
  await bench.ask('act_1', '1002');
  expect(await ended('act_1')).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('cannot be opened') as string,
  });
  expect(await audited()).toEqual([]);
});

it('a job that fails with a secret in its error text has the secret removed from the stored error', async () => {
  await keep('1001');
  bench.startRunner(async (_payload, { openSecret }) => {
    const value = await openSecret(HANDLE, 'look');
    throw new AppError('CONFLICT', { detail: `the server refused ${value}` });
  });
  await bench.ask('act_1', '1001');
  expect(await ended('act_1')).toMatchObject({ status: 'failed' });
  expect(JSON.stringify([await bench.runs.find('act_1'), await bench.told('1001')])).not.toContain(VALUE);
});
