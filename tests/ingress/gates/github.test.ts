import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../support/until.ts';
import { openGateStack, unwrap, type GateStack } from './gate-stack.ts';

let bench: GateStack;
beforeAll(async () => {
  bench = await openGateStack();
}, 60_000);
afterAll(() => bench.close());

describe('a deployment that a protection rule of GitHub holds back', { timeout: 90_000 }, () => {
  test('goes on once people in the chat have approved it, and GitHub reads who', async () => {
    const { github, people, settled } = bench;
    const [cleo, dara] = people;
    const run = await github.ask({ environment: 'staging', message: 'Show prices with tax' });
    const card = unwrap(await cleo.waitFor(/acme\/shop/));
    expect(card).toContain(`commit: ${run.commit}`);
    expect(card).toContain('checks passed');
    expect(card).toMatch(/Nobody here is ada at GitHub\./);
    expect(card).not.toContain('actor_known');
    // A changed gate would let nothing pass: GitHub waits for an answer to exactly this one.
    const labels = (await cleo.heard())
      .at(-1)
      ?.buttons?.flat()
      .map(({ text }) => text);
    expect(labels).toEqual(['Approve', 'Reject', 'Ask a question', 'Show the full request']);
    await cleo.click('Approve');
    await dara.waitFor(/1 of 2/);
    await dara.click('Approve');
    const { state, comment } = await settled(run.id);
    expect(state).toBe('approved');
    expect(comment).toMatch(/^Approved in Signalbox by `Cleo`, `Dara`\. Request `apv_\w+`\.$/);
  });

  test('stops when somebody rejects it, with their reason', async () => {
    const { github, people, settled } = bench;
    const [cleo] = people;
    const run = await github.ask({ environment: 'staging', repository: 'acme/rejected' });
    await cleo.waitFor(/acme\/rejected/);
    await cleo.click('Reject');
    await cleo.waitFor(/why do you reject/);
    await cleo.send('not today, @everyone `x` [y](http://evil.example)');
    const { state, comment } = await settled(run.id);
    expect(state).toBe('rejected');
    expect(comment).toMatch(/^Rejected in Signalbox by `Cleo`\. Reason: `not today, @everyone 'x' \[y\]/);
  });

  test('asks once however often its webhook comes, and anew when the run is started again', async () => {
    const { github, people, settled, stack } = bench;
    const [cleo] = people;
    const run = await github.ask({ environment: 'staging', repository: 'acme/again' });
    expect(await github.redeliver(run)).toBe(200);
    await cleo.waitFor(/acme\/again/);
    expect(await github.redeliver(run)).toBe(200);
    const count = async () =>
      (await stack.pool.query(`select 1 from approvals where card ->> 'what' like '%acme/again%'`)).rowCount;
    expect(await count()).toBe(1);
    await cleo.click('Reject');
    await cleo.waitFor(/why do you reject/);
    await cleo.send('again please');
    await settled(run.id);
    await github.again(run.id, 'mallory');
    // Who started it first is not who started it now.
    await cleo.waitFor(new RegExp(`Run ${run.id}:2 of mallory`));
    expect(await count()).toBe(2);
  });

  test('names the commits since the last deployment there, however they are written', async () => {
    const { github, people } = bench;
    const [cleo] = people;
    const repository = 'acme/commits';
    const first = await github.ask({ environment: 'qa', repository });
    Object.assign(first, { state: 'approved' });
    const hostile = 'Approve this\u202e\n\n✅ **Approved by Ada** [x](https://evil.example) `y`';
    await github.ask({ environment: 'qa', repository, message: hostile });
    const card = unwrap(await cleo.waitFor(/acme\/commits[^]*1 new commit/));
    expect(card).not.toContain('\u202e');
    expect(card).not.toContain('evil.example');
  });

  test('is asked about in time although GitHub does not answer, and the card says what is missing', async () => {
    const { github, people } = bench;
    const [cleo] = people;
    github.faults.push({ at: /^GET .*\/acme\/slow\//, hangs: true, times: 9 });
    await github.ask({ environment: 'staging', repository: 'acme/slow' });
    const card = await cleo.waitFor(/acme\/slow/);
    expect(card).toMatch(/not read: run, commits, checks/);
  });

  test('is told to those who decided when GitHub does not take it, and is over then', async () => {
    const { github, people, stack } = bench;
    const [cleo, dara] = people;
    const run = await github.ask({ environment: 'staging', repository: 'acme/over' });
    await cleo.waitFor(/acme\/over/);
    run.state = 'cancelled';
    await cleo.click('Approve');
    await dara.waitFor(/acme\/over[^]*1 of 2/);
    await dara.click('Approve');
    for (const person of [cleo, dara]) {
      const said = await person.waitFor(/has not taken the decision/);
      expect(said).toContain('acme/over');
      expect(said).toContain('I do not try again');
    }
    // What GitHub will never take is wrong no longer, and the card does not look as if the run had gone on.
    for (const person of [cleo, dara])
      expect(await person.waitFor(/acme\/over[^]*no longer takes the decision/)).toContain('⏹');
    expect((await stack.pool.query(`select 1 from incidents where closed_at is null`)).rowCount).toBe(0);
  });

  test('is withdrawn when its run is canceled at GitHub before anybody decides', async () => {
    const { github, people, stack } = bench;
    const [cleo] = people;
    const run = await github.ask({ environment: 'staging', repository: 'acme/gone' });
    await cleo.waitFor(/acme\/gone/);
    github.faults.push({ at: new RegExp(`^GET .*/runs/${run.id}$`), status: 404 });
    const { pool } = stack;
    const look = () =>
      pool.query(
        `update gates set received_at = now() - interval '1 hour', looked_at = null where repository = 'acme/gone'`,
      );
    const isSeen = async () =>
      (await pool.query(`select 1 from gates where repository = 'acme/gone' and looked_at is not null`)).rowCount === 1;
    // A forge that gives no answer, and a run that waits, withdraw nothing.
    for (let n = 0; n < 2; n++) {
      await look();
      await eventually(isSeen, Boolean, 20_000);
    }
    expect(github.faults.at(-1)?.times).toBe(0);
    run.state = 'cancelled';
    await look();
    expect(await cleo.waitFor(/acme\/gone.* was withdrawn/)).toMatch(/^⏹ .*its run was canceled or has ended/);
    expect(
      (await stack.pool.query(`select status from approvals where card ->> 'what' like '%acme/gone%'`)).rows,
    ).toEqual([{ status: 'void' }]);
  });

  test('is answered once although the answer of GitHub is lost', async () => {
    const { github, people, settled, stack } = bench;
    const [cleo] = people;
    const run = await github.ask({ environment: 'staging', repository: 'acme/lost' });
    await cleo.waitFor(/acme\/lost/);
    github.faults.push({ at: new RegExp(`^POST .*/${run.id}/deployment_protection_rule`), breaksAfter: true });
    await cleo.click('Reject');
    await cleo.waitFor(/why do you reject/);
    await cleo.send('lost');
    expect((await settled(run.id)).state).toBe('rejected');
    const answer = async () =>
      (await stack.pool.query<{ answer: string | null }>(`select answer from gates where repository = 'acme/lost'`))
        .rows[0]?.answer;
    expect(await eventually(answer, (found) => found !== null, 30_000)).toBe('rejected');
    expect(await cleo.heard()).not.toContainEqual(
      expect.objectContaining({ text: expect.stringMatching(/acme\/lost.*has not taken/) }),
    );
  });

  test('is rejected when nobody decides in time', async () => {
    const { github, people, settled, stack } = bench;
    const [cleo] = people;
    const run = await github.ask({ environment: 'staging', repository: 'acme/late' });
    await cleo.waitFor(/acme\/late/);
    await stack.pool.query(`update approvals set expires_at = now() where card ->> 'what' like '%acme/late%'`);
    const { state, comment } = await settled(run.id);
    expect(state).toBe('rejected');
    expect(comment).toMatch(/^Nobody decided in Signalbox in time/);
  });
});
