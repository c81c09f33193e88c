import { JOBS, type JobName } from '@signalbox/contracts/operations/jobs';
import { putOutbox } from '@signalbox/store/conversation/outbox';
import { openPool, type Pool } from '@signalbox/store/pool';
import { RunStore, type RunIntent } from '@signalbox/store/turns/runs';
import { getServiceRole } from '@signalbox/store/migrations/service-rights';
import { createLog } from '@signalbox/platform/log';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { serviceUrl } from '../../support/service-login.ts';
import { migrateWithSamples } from '../../support/samples.ts';

const log = createLog('test', 'silent');
const POOLS = ['maintenance', 'agents', 'deploy'] as const;
type Pools = (typeof POOLS)[number];
/** A job of each pool. */
const JOB: Readonly<Record<Pools, JobName>> = {
  maintenance: 'knowledge.index',
  agents: 'workspace.run',
  deploy: 'deploy.run',
};
const LEASE_MS = 60_000;
const REFUSED = { code: '42501' };

// What the login of one pool gets at work of another, whatever program holds it.
let database: TestDatabase;
let owner: Pool;
const pools = new Map<Pools, Pool>();
const as = (pool: Pools): Pool => {
  const found = pools.get(pool);
  if (!found) throw new Error(`no login for ${pool}`);
  return found;
};

beforeAll(async () => {
  database = await createDatabase();
  owner = openPool(database.url, log, { name: 'test', max: 4, as: 'owner' });
  for (const pool of POOLS)
    pools.set(pool, openPool(serviceUrl(database.url, pool), log, { name: 'test', max: 2, as: pool }));
});
afterAll(async () => {
  for (const pool of pools.values()) await pool.end();
  await owner.end();
  await database.drop();
});

const intent = (runId: string, job: string): RunIntent => ({
  runId,
  job,
  payload: {},
  person: { userKey: '1001', chatKey: 'telegram:1001' },
  threadId: null,
  traceId: 'trc_test',
});
const runsOf = (pool: Pools): RunStore => new RunStore(as(pool));
const END = { outcome: 'done', result: null, error: null, say: 'Done, says the thief.' } as const;
const row = async (runId: string): Promise<unknown> =>
  (await owner.query('select * from runs where run_id = $1', [runId])).rows[0];
const message = (key: string, chatKey: string, slot: string | null) => ({
  key,
  chatKey,
  slot,
  userKey: null,
  threadId: null,
  turnId: null,
  traceId: 'trc_test',
  priority: 0 as const,
  body: { text: 'from a thief', buttons: [] },
});

describe.each(
  POOLS.flatMap((thief) => POOLS.filter((other) => other !== thief).map((other) => ({ thief, victim: other }))),
)('the login of pool $thief, for runs of pool $victim,', ({ thief, victim }) => {
  const runId = `act_${thief}_${victim}`;
  beforeAll(() => new RunStore(owner).create(intent(runId, JOB[victim])));

  it('cannot insert a run', async () => {
    await expect(runsOf(thief).create(intent(`${runId}_new`, JOB[victim]))).rejects.toMatchObject(REFUSED);
    const scheduled = { runId: `${runId}_new`, job: JOB[victim], traceId: 'trc_test', startedAt: new Date() };
    await expect(
      runsOf(thief).record({ ...scheduled, outcome: 'done', result: null, error: null }),
    ).rejects.toMatchObject(REFUSED);
    expect(await row(`${runId}_new`)).toBeUndefined();
  });

  it('cannot claim a run, nor end, return or delete a claimed run', async () => {
    const before = await row(runId);
    expect(await runsOf(thief).begin(runId, 0)).not.toMatchObject({ kind: 'held' });
    expect(await row(runId)).toEqual(before);
    const held = await runsOf(victim).begin(runId, LEASE_MS);
    if (held.kind !== 'held') throw new Error('the victim cannot work');
    const running = await row(runId);
    expect(await runsOf(thief).begin(runId, 0)).not.toMatchObject({ kind: 'held' });
    expect(await runsOf(thief).report(held.run, { percent: 100 })).toBe(false);
    expect(await runsOf(thief).giveBack(held.run, { delayMs: 0, counts: false, error: null })).toBe(false);
    expect(await runsOf(thief).finish(held.run, END)).toMatchObject({ recorded: false });
    expect((await as(thief).query('delete from runs where run_id = $1', [runId])).rowCount).toBe(0);
    await as(thief).query('reset role'); // the bare login has no more than its role
    expect((await as(thief).query(`update runs set status = 'done' where run_id = $1`, [runId])).rowCount).toBe(0);
    await as(thief).query(`set role ${getServiceRole(thief)}`);
    expect(await row(runId)).toEqual(running);
  });
});

describe.each(['agents', 'deploy'] as const)('the login of %s', (pool) => {
  const [own, other] = [`act_own_${pool}`, `act_other_${pool}`];
  const elsewhere = pool === 'agents' ? JOB.deploy : JOB.agents;
  beforeAll(async () => {
    await new RunStore(owner).create(intent(own, JOB[pool]));
    await new RunStore(owner).create(intent(other, elsewhere));
  });

  it('cannot see runs of other pools', async () => {
    const { rows } = await as(pool).query<{ pool: string }>('select distinct job_pool(job) as pool from runs');
    expect(rows).toEqual([{ pool }]);
  });

  it('can notify only of the end of its own runs, and only their requester', async () => {
    const put = (updateId: string, userKey: string, kind = 'job-finished'): Promise<unknown> =>
      as(pool).query(
        `insert into inbox (channel, bot, update_id, user_key, chat_key, kind, envelope, trace_id)
         values ('jobs', 'jobs', $1, $2, 'telegram:1', $3, '{}', 'trc_test') on conflict (channel, bot, update_id) do nothing`,
        [updateId, userKey, kind],
      );
    await expect(put(other, '1001')).rejects.toMatchObject(REFUSED);
    await expect(put('act_none', '1001')).rejects.toMatchObject(REFUSED);
    await expect(put(own, '1002')).rejects.toMatchObject(REFUSED);
    await expect(put(own, '1001', 'approval')).rejects.toMatchObject(REFUSED);
  });

  it('can write only into the chat of its own run, and can change no approval card', async () => {
    for (const forged of [
      message(`${other}/said`, 'telegram:1001', null),
      message(`${own}/said`, 'telegram:1002', null),
      message('apv_1:telegram:1002:approved', 'telegram:1002', 'apv_1'),
      message('welcome', 'telegram:1001', null),
    ])
      await expect(putOutbox(as(pool), [forged])).rejects.toMatchObject(REFUSED);
    expect((await as(pool).query(`update approvals set reason = 'approved'`)).rowCount).toBe(0);
  });

  it('can claim, update and end its runs, and the requester of each is notified', async () => {
    const held = await runsOf(pool).begin(own, LEASE_MS);
    if (held.kind !== 'held') throw new Error('not its own');
    const text = { text: 'half way', slot: 'progress', key: 'half' };
    expect(await runsOf(pool).tell(held.run, text)).toMatchObject({ held: true, chat: { chatKey: 'telegram:1001' } });
    expect(await runsOf(pool).finish(held.run, END)).toMatchObject({ recorded: true, lane: { userKey: '1001' } });
    const { rows } = await owner.query('select kind from inbox where update_id = $1', [own]);
    expect(rows).toEqual([{ kind: 'job-finished' }]);
  });
});

it('the login of maintenance can notify of the end of its own runs only', async () => {
  await new RunStore(owner).create(intent('act_indexed', JOB.maintenance));
  await new RunStore(owner).create(intent('act_deployed', JOB.deploy));
  const held = await runsOf('maintenance').begin('act_indexed', LEASE_MS);
  if (held.kind !== 'held') throw new Error('not its own');
  expect(await runsOf('maintenance').finish(held.run, END)).toMatchObject({ lane: { userKey: '1001' } });
  const { rows } = await owner.query<{ envelope: object }>(
    `select envelope from inbox where update_id = 'act_indexed'`,
  );
  expect(rows).toHaveLength(1);
  const forged = { ...rows[0]?.envelope, updateId: 'act_deployed', runId: 'act_deployed', job: JOB.deploy };
  const put = as('maintenance').query(
    `insert into inbox (channel, bot, update_id, user_key, chat_key, kind, envelope, trace_id)
     values ('jobs', 'jobs', 'act_deployed', '1001', 'telegram:1001', 'job-finished', $1, 'trc_test')`,
    [JSON.stringify(forged)],
  );
  await expect(put).rejects.toMatchObject(REFUSED);
});

it.each(['agents', 'maintenance'] as const)(
  'the login of %s cannot create a run for a person, nor change the person, input or job of a run',
  async (pool) => {
    await new RunStore(owner).create(intent(`act_redirect_${pool}`, JOB[pool]));
    for (const change of [`user_key = '666'`, `chat_key = 'telegram:666'`, `payload = '{}'`, `job = '${JOB.deploy}'`])
      await expect(as(pool).query(`update runs set ${change}`)).rejects.toMatchObject(REFUSED);
    await expect(runsOf(pool).create(intent(`act_asked_${pool}`, JOB[pool]))).rejects.toMatchObject(REFUSED);
  },
);

it('every job belongs to the pool in its definition, and an unknown job belongs to no pool', async () => {
  for (const [job, spec] of [...Object.entries(JOBS), ['no.job', { pool: null }] as const]) {
    const { rows } = await owner.query<{ pool: string | null }>('select job_pool($1) as pool', [job]);
    expect([job, rows[0]?.pool]).toEqual([job, spec.pool]);
  }
});

it('migrating again keeps the row policies, and removes a policy that was added by hand', async () => {
  const policies = async (): Promise<unknown> =>
    (await owner.query('select oid::text, polname, polrelid::regclass::text from pg_policy order by 1')).rows;
  const before = await policies();
  await owner.query('create policy mine on runs to signalbox_agents using (true)');
  await migrateWithSamples(database.url);
  expect(await policies()).toEqual(before);
});
