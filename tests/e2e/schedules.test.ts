import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Person } from '../support/person.ts';
import { openStack, type Stack } from '../support/stack.ts';
import { eventually } from '../support/until.ts';

describe('schedules without a model, under the logins of production', () => {
  let stack: Stack;
  let ada: Person;
  beforeEach(async () => {
    stack = await openStack({ jobs: true, pools: ['maintenance'] });
    ada = await stack.person(1001, 'admin');
  });
  afterEach(() => stack.close());

  /** As if the time of the newest schedule had come `agoMs` ago. */
  const makeDue = async (agoMs = 0): Promise<void> => {
    await stack.pool.query(
      `update schedules set next_at = date_trunc('milliseconds', clock_timestamp()) - $1 * interval '1 ms',
              at = case when at is not null then date_trunc('milliseconds', clock_timestamp()) - $1 * interval '1 ms' end
        where schedule_id = (select max(schedule_id) from schedules)`,
      [agoMs],
    );
  };
  const runs = async (): Promise<readonly { outcome: string; missed: number }[]> =>
    (await stack.pool.query(`select outcome, missed from schedule_runs order by at`)).rows as never;

  it('a reminder made by words is told at its time, once, and says back when that is', async () => {
    const [made = ''] = await ada.ask('remind me tomorrow at 8 to check the demo');
    expect(made).toMatch(/I remind you \(schedule 1\): “check the demo”, .*08:00 \(UTC\)/);
    expect(made).toContain('Next: ');
    await makeDue();
    expect(await ada.waitFor(/⏰ check the demo/)).toContain('/schedules');
    expect(await runs()).toEqual([{ outcome: 'told', missed: 0 }]);
    const { rows } = await stack.pool.query(`select state, next_at from schedules`);
    expect(rows).toEqual([{ state: 'over', next_at: null }]);
  });

  it('“every day at 9 list the projects” runs as a turn of its owner, and nothing happens when it is made', async () => {
    await ada.ask('create a project called shop for the web shop');
    const [made = ''] = await ada.ask('every day at 9 list the projects');
    expect(made).toMatch(/schedule 1\): “list the projects”, every day at 09:00 \(UTC\)/);
    expect(made).toMatch(/The next runs: .*09:00 · .*09:00 · .*09:00/);
    expect(made).not.toContain('shop');
    await ada.ask('deploy shop');
    await makeDue();
    // The conversation waits for an answer, for which the order would be taken.
    await setTimeout(6_000);
    expect(await runs()).toEqual([]);
    await ada.ask('/new');
    await ada.waitFor(/🔁 Schedule 1, which you made, says: “list the projects”/);
    await ada.waitFor(/shop/);
    expect(await runs()).toEqual([{ outcome: 'ran', missed: 0 }]);
    await eventually(
      async () => (await stack.pool.query(`select outcome from inbox where bot = 'schedules'`)).rows,
      (rows) => rows[0]?.['outcome'] === 'answered',
    );
  });

  it.each([
    'deploy main of todo to staging every night',
    'deploy main of todo to staging every other monday',
    'every now and then, each night, deploy main of todo to staging',
  ])('“%s” deploys nothing now', async (text) => {
    await ada.ask('create a project called todo for lists');
    const heard = (await ada.ask(text)).join('\n');
    expect(heard).toMatch(/schedule/i);
    const { rows } = await stack.pool.query(`select tool from actions where tool = 'trigger_deploy'`);
    expect(rows).toEqual([]);
    expect(
      (await ada.heard())
        .at(-1)
        ?.buttons?.flat()
        .map((button) => button.text) ?? [],
    ).not.toContainEqual(expect.stringMatching(/deploy/i));
  });

  it('/schedules lists, pauses, resumes, runs and removes, by buttons too', async () => {
    await ada.ask('remind me every monday at 10 of the standup');
    expect((await ada.ask('/schedules'))[0]).toMatch(/1\. ⏰ “the standup”, every Monday at 10:00 \(UTC\), next: Mon/);
    await ada.click('Pause 1');
    await ada.waitFor(/Schedule 1 is paused: “the standup”/);
    expect((await ada.ask('/schedules'))[0]).toContain('paused');
    expect((await ada.ask('resume schedule 1')).join()).toContain('Schedule 1 runs again');
    await ada.ask('/schedules run 1');
    await ada.waitFor(/⏰ the standup/);
    expect((await ada.ask('remove schedule 1')).join()).toContain('Schedule 1 is removed');
    expect((await ada.ask('/schedules'))[0]).toContain('You have no schedules');
  });

  it('an order that is due more than an hour late is reported with what was missed, and not run', async () => {
    await ada.ask('every day at 9 list the projects');
    await stack.pool.query(
      `update schedules set next_at = date_trunc('day', now()) - interval '3 days' + interval '9 hours'`,
    );
    await stack.pool.query(`update schedules set pattern = to_char(now() - interval '2 hours', 'MI HH24') || ' * * *'`);
    await ada.waitFor(/Schedule 1 \(“list the projects”\) did not run/);
    const [only] = await runs();
    expect(only).toMatchObject({ outcome: 'late' });
    expect(only?.missed).toBeGreaterThanOrEqual(2);
    expect((await stack.pool.query(`select 1 from inbox where bot = 'schedules'`)).rowCount).toBe(0);
  });

  it('a schedule pauses when its owner has less than the role with which it was made, and says so', async () => {
    const ben = await stack.person(1002, 'operator');
    await ben.ask('every day at 9 list the projects');
    await stack.pool.query(`update users set role = 'viewer' where user_key = '1002'`);
    await makeDue();
    await ben.waitFor(/Schedule 1 .* is paused, because your role is less/);
    expect(await runs()).toEqual([]);
  });

  it('nobody else sees, changes or runs a schedule', async () => {
    await ada.ask('every day at 9 list the projects');
    const eve = await stack.person(1002, 'admin');
    expect((await eve.ask('/schedules'))[0]).toContain('You have no schedules');
    for (const change of ['pause', 'remove', 'run', 'resume'])
      expect((await eve.ask(`/schedules ${change} 1`))[0]).toContain('You have no schedule 1');
    expect((await eve.ask('remove schedule 1')).join()).toContain('You have no schedule 1');
    const { rows } = await stack.pool.query(`select state, asked_at from schedules`);
    expect(rows).toEqual([{ state: 'active', asked_at: null }]);
  });

  it('a task about trouble is silent while no incident is open, and speaks when one is', async () => {
    const [made = ''] = await ada.ask('every day at 9 tell me which services are unhealthy');
    expect(made).toContain('I say nothing while no incident is open');
    await makeDue();
    await eventually(runs, (rows) => rows.length === 1);
    expect(await runs()).toEqual([{ outcome: 'quiet', missed: 0 }]);
    await stack.pool.query(
      `insert into incidents (subject, kind, detail, evidence) values ('service:shop/staging', 'down', 'd', '{}')`,
    );
    await makeDue();
    await ada.waitFor(/🔁 Schedule 1/);
  });
});
