import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStack, type Stack } from '../support/stack.ts';
import type { Person } from '../support/person.ts';

describe('a conversation with the built-in planner', () => {
  let stack: Stack;
  let ada: Person;
  beforeAll(async () => {
    stack = await openStack({ jobs: true });
    ada = await stack.person(1001, 'admin');
  });
  afterAll(() => stack.close());

  it('asks which project is meant, continues in the same thread, and starts a new thread after thanks', async () => {
    await ada.ask('create a project called shop for the web shop');
    await ada.ask('create a project called blog for company news');
    const [question] = await ada.ask('allocate a port');
    expect(question).toMatch(/which project/i);
    const offered = (await ada.heard())
      .at(-1)
      ?.buttons?.flat()
      .map((button) => button.text);
    expect(offered).toEqual(expect.arrayContaining(['shop', 'blog']));
    const [result] = await ada.clickAndWait('shop');
    expect(result).toMatch(/Port \d+ on local now belongs to shop/);
    const { rows: allocations } = await stack.pool.query('select project from port_allocations');
    expect(allocations).toEqual([{ project: 'shop' }]);
    expect((await ada.ask('thanks')).join()).toMatch(/closed this task/);
    await ada.ask('list the projects');
    const { rows } = await stack.pool.query(`select thread_id, status from threads where user_key = '1001' order by n`);
    expect(rows).toEqual([
      { thread_id: 'user_1001_1', status: 'finished' },
      { thread_id: 'user_1001_2', status: 'open' },
    ]);
  });

  it('reports the result of a job in the conversation that asked for the job', async () => {
    await ada.ask('index the docs');
    const seen = await ada.waitFor(/Indexed|indexed/);
    expect(seen).toMatch(/passages/);
  });
});
