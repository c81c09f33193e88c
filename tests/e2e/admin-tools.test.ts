import { AppError } from '@signalbox/contracts/errors';
import { tool, toolGroup } from '@signalbox/worker/tools/tool';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Person } from '../support/person.ts';
import { openStack, type Stack } from '../support/stack.ts';

// Ada repairs the conversation of Ben from her own chat, with the approval of Eve.
describe('tools that repair conversations', { timeout: 120_000 }, () => {
  let stack: Stack;
  let ada: Person;
  let ben: Person;
  let eve: Person;
  let isJammed = true;
  let turned: string[] = [];

  const valves = toolGroup({
    name: 'valves',
    summary: 'Valves of a project that may be jammed.',
    uses: [],
    tools: {
      turn_valve: tool({
        describe: 'Turn the valve of a project.',
        hints: ['turn the valve of shop', 'open the valve of shop', 'close the valve of blog'],
        input: z.object({ project: z.string().meta({ entity: 'project', ask: 'Which project?' }) }),
        risk: 'sensitive',
        role: 'developer',
        egress: false,
        deadlineMs: 5_000,
        replay: 'harmless',
        run: async ({ project }) => {
          if (isJammed) throw new AppError('NEVER_DEPLOYED', { detail: 'The valve is jammed.' }); // in our own words
          turned.push(project);
          return { project };
        },
        phrases: { done: ({ project }) => `The valve of ${project} is turned.` },
      }).from('outside'),
    },
  });

  beforeEach(async () => {
    [isJammed, turned] = [true, []];
    stack = await openStack({ wiring: { groups: [valves] } });
    ada = await stack.person(1001, 'admin');
    ben = await stack.person(1002, 'developer');
    eve = await stack.person(1009, 'admin');
    await eve.ask('hello'); // whoever approves has to have written to us
    await ada.ask('create a project called shop for the web shop');
  });
  afterEach(() => stack.close());

  const ledger = async (name: string): Promise<unknown> =>
    (
      await stack.pool.query(
        `select a.status, p.status as approval, p.card ->> 'what' as what,
                (select array_agg(kind order by event_id) from audit_events e where e.action_id = a.action_id) as audit
           from actions a left join approvals p using (action_id) where a.tool = $1 order by a.proposed_at`,
        [name],
      )
    ).rows;
  const WHOLE = [
    'action.proposed',
    'approval.requested',
    'approval.voted',
    'approval.approved',
    'approval.consumed',
    'action.started',
    'action.settled',
  ];
  const consumed = (what: string) => [
    { status: 'done', approval: 'consumed', what, audit: expect.arrayContaining(WHOLE) as string[] },
  ];

  it('retry_failed_node runs Ben’s failed call in his chat after another admin approved', async () => {
    expect((await ben.ask('turn the valve of shop')).join()).toContain('jammed');
    isJammed = false;
    expect((await ada.ask('retry the failed node of user_1002_1')).join()).toContain('needs approval');
    await eve.waitFor(/Run po_tools of user_1002_1 again/);
    expect(turned).toEqual([]);
    await ada.click('Approve').catch(() => undefined); // hers has no such button, or it is refused
    expect(turned).toEqual([]);
    await eve.click('Approve');
    await ada.waitFor(/Approved by .*po_tools runs again in user_1002_1/);
    await ben.waitFor(/The valve of shop is turned/);
    const heard = (await ben.heard()).map(({ text }) => text).join('\n');
    expect(heard).toMatch(/had po_tools run again, because it had failed/);
    expect(turned).toEqual(['shop']);
    expect(await ledger('retry_failed_node')).toEqual(consumed('Run po_tools of user_1002_1 again'));
    const { rows } = await stack.pool.query(
      `select user_key, status from actions where tool = 'turn_valve' order by proposed_at`,
    );
    expect(rows).toEqual([
      { user_key: '1002', status: 'failed' },
      { user_key: '1002', status: 'done' },
    ]);
  });

  it('failed calls of a person’s own conversation run again on request, once and without an admin', async () => {
    expect((await ben.ask('turn the valve of shop')).join()).toContain('jammed');
    // To talk in between is no new attempt.
    await ben.ask('hello');
    isJammed = false;
    const heard = (await ben.ask('retry the failed step')).join('\n');
    expect(heard).toMatch(/What failed runs again/);
    await ben.waitFor(/The valve of shop is turned/);
    expect(turned).toEqual(['shop']);
    expect(await ledger('retry_failed_node')).toMatchObject([{ status: 'done', approval: null }]);
    expect((await ben.ask('retry the failed step')).join()).toContain('did not fail');
    expect(turned).toEqual(['shop']);
  });

  it('clear_project_state closes the conversations about a project after another admin approved', async () => {
    isJammed = false;
    expect((await ben.ask('turn the valve of shop')).join()).toContain('turned');
    expect((await ada.ask('clear the project state of shop')).join()).toContain('needs approval');
    await eve.waitFor(/Forget the conversations about shop/);
    await eve.click('Approve');
    // Her card says the first line of it, too.
    await ada.waitFor(/Approved by [\s\S]*I closed 1 conversation about shop:[\s\S]*user_1002_1/);
    const { rows } = await stack.pool.query(
      `select thread_id, status from threads where user_key <> '1009' order by 1`,
    );
    expect(rows).toEqual([
      { thread_id: 'user_1001_1', status: 'open' },
      { thread_id: 'user_1002_1', status: 'closed' },
    ]);
    expect(await ledger('clear_project_state')).toEqual(consumed('Forget the conversations about shop'));
    // Ben begins afresh, and what was done stays done.
    await ben.ask('list the projects');
    const { rows: threads } = await stack.pool.query(
      `select thread_id, status from threads where user_key = '1002' order by n`,
    );
    expect(threads).toEqual([
      { thread_id: 'user_1002_1', status: 'closed' },
      { thread_id: 'user_1002_2', status: 'open' },
    ]);
    expect(turned).toEqual(['shop']);
  });

  it('neither runs for a person whose role does not allow it, nor after a rejection', async () => {
    expect((await ben.ask('turn the valve of shop')).join()).toContain('jammed');
    expect((await ben.ask('clear the project state of shop')).join()).toMatch(/Only admins/);
    await ada.ask('clear the project state of shop');
    await eve.waitFor(/Forget the conversations about shop/);
    await eve.click('Reject');
    await eve.waitFor(/why do you reject/);
    await eve.click('Too risky');
    await ada.waitFor(/rejected .*Too risky.*Nothing was changed/);
    const { rows } = await stack.pool.query(`select status from threads where thread_id = 'user_1002_1'`);
    expect(rows).toEqual([{ status: 'open' }]);
  });
});
