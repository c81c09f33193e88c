import { afterEach, describe, expect, it } from 'vitest';
import type { Person } from '../support/person.ts';
import { openStack, type Stack } from '../support/stack.ts';

const SPENT =
  'The budget of this hour or day is spent: only reads go on until it is renewed (rule budget-spent). Nothing was changed.';

describe('a person who has spent their budget', { timeout: 120_000 }, () => {
  let stack: Stack;
  let ben: Person;
  afterEach(() => stack.close());

  const open = async (env: Readonly<Record<string, string>>): Promise<void> => {
    stack = await openStack({ env });
    ben = await stack.person(1002, 'developer');
  };
  const projects = async (): Promise<readonly string[]> =>
    (await stack.pool.query<{ name: string }>('select name from projects order by name')).rows.map(({ name }) => name);
  /** Wants a project, is told in one sentence that it is not made, why, and that the audit has it. */
  const isRefused = async (name: string): Promise<void> => {
    const before = await projects();
    expect(await ben.ask(`create a project called ${name} for tea`)).toEqual([SPENT]);
    expect(await projects()).toEqual(before);
    const why = (await ben.ask('/why')).join('\n');
    expect(why).toContain('create_project_intent');
    expect(why).toContain('denied');
    expect(why).toContain('only reads go on until it is renewed. Rule budget-spent.');
    const { rows } = await stack.pool.query(
      `select e.actor, e.data ->> 'rule' as rule, e.data -> 'arguments' ->> 'name' as name, a.status
         from audit_events e join actions a using (action_id) where e.kind = 'action.denied' order by event_id desc limit 1`,
    );
    expect(rows).toEqual([{ actor: '1002', rule: 'budget-spent', name, status: 'denied' }]);
    const { rowCount } = await stack.pool.query(
      `select 1 from audit_events where kind = 'action.started' and data -> 'arguments' ->> 'name' = $1`,
      [name],
    );
    expect(rowCount).toBe(0);
  };
  const isMade = async (name: string): Promise<void> => {
    expect((await ben.ask(`create a project called ${name} for tea`)).join()).toMatch(/created the project/);
    expect(await projects()).toContain(name);
  };

  it('of calls per hour is refused with the policy rule, can still read, and can act again after the hour', async () => {
    await open({ BUDGET_CALLS_PER_HOUR: '2' });
    await isMade('shop');
    await isMade('blog');
    await isRefused('wiki');
    expect((await ben.ask('list the projects')).join()).toContain('blog');
    // Of their own: somebody else's is not touched.
    const ada = await stack.person(1001, 'admin');
    expect((await ada.ask('create a project called site for news')).join()).toMatch(/created the project/);
    await stack.pool.query(`update actions set started_at = started_at - interval '59 minutes'`);
    await isRefused('wiki');
    await stack.pool.query(`update actions set started_at = started_at - interval '2 minutes'`);
    await isMade('wiki');
  });

  it('of money per day is refused with the policy rule, and can act again after the day', async () => {
    await open({ BUDGET_USD_PER_DAY: '1.5' });
    await isMade('shop');
    // What the model of that turn would have cost.
    await stack.pool.query(
      `update turns set usage = '{"inputTokens": 900, "cachedTokens": 0, "outputTokens": 90, "costUsd": 1.5}'`,
    );
    await isRefused('blog');
    const read = (await ben.ask('list the projects')).join();
    expect(read).toContain('shop');
    await stack.pool.query(`update turns set started_at = started_at - interval '25 hours'`);
    await isMade('blog');
  });
});
