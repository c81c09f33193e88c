import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../support/until.ts';
import { GITLAB_SECRET, openGateStack, unwrap, type GateStack } from './gate-stack.ts';

let bench: GateStack;
beforeAll(async () => {
  bench = await openGateStack();
}, 60_000);
afterAll(() => bench.close());

const post = (body: unknown, secret = GITLAB_SECRET): Promise<Response> =>
  fetch(`${bench.url}/hooks/gitlab`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-gitlab-event': 'Note Hook', 'x-gitlab-token': secret },
    body: JSON.stringify(body),
  });

describe('a deployment of GitLab that waits for approvals', { timeout: 90_000 }, () => {
  test('is approved at GitLab once people in the chat have approved it', async () => {
    const { github: forge, people, settled } = bench;
    const [cleo, dara] = people;
    const before = await forge.ask({ forge: 'gitlab', environment: 'staging', repository: 'acme/tools/shop' });
    Object.assign(before, { state: 'approved' });
    const run = await forge.ask({
      forge: 'gitlab',
      environment: 'staging',
      repository: 'acme/tools/shop',
      message: 'New prices',
    });
    const card = unwrap(await cleo.waitFor(new RegExp(`acme/tools/shop[^]*Run ${run.id} of ada`)));
    expect(card).toContain('1 new commit; checks passed');
    expect(card).toContain('Nobody here is ada at GitLab.');
    await cleo.click('Approve');
    await dara.waitFor(/1 of 2/);
    await dara.click('Approve');
    const { state, comment } = await settled(run.id);
    expect(state).toBe('approved');
    expect(comment).toMatch(/^Approved in Signalbox by `Cleo`, `Dara`/);
  });

  test('is rejected with the reason, once although the answer of GitLab is lost', async () => {
    const { github: forge, people, settled, stack } = bench;
    const [cleo] = people;
    const run = await forge.ask({ forge: 'gitlab', environment: 'staging', repository: 'acme/lost' });
    await cleo.waitFor(/acme\/lost/);
    forge.faults.push({ at: /^POST .*\/approval$/, breaksAfter: true });
    await cleo.click('Reject');
    await cleo.waitFor(/why do you reject/);
    await cleo.send('not today');
    expect(await settled(run.id)).toMatchObject({ state: 'rejected', comment: expect.stringContaining('`not today`') });
    const answer = async () =>
      (await stack.pool.query<{ answer: string | null }>(`select answer from gates where repository = 'acme/lost'`))
        .rows[0]?.answer;
    expect(await eventually(answer, (found) => found !== null, 30_000)).toBe('rejected');
  });

  test('needs no approver more when a comment of this login has tied it to a person', async () => {
    const { github: forge, people, stack } = bench;
    const [cleo] = people;
    const code = /[0-9A-Z]{4}(?:-[0-9A-Z]{4}){2}/.exec((await cleo.ask('/link gitlab eve')).join())?.[0] ?? '';
    const { id } = forge.runs.findLogin('eve');
    // The shape of a comment event of GitLab's documentation.
    const note = (username: string, author: number) => ({
      object_kind: 'note',
      event_type: 'note',
      user: { id: author, name: 'Eve', username, email: '[REDACTED]' },
      object_attributes: {
        id: 1241,
        note: `linking: ${code}`,
        author_id: id,
        action: 'create',
        noteable_type: 'Issue',
      },
    });
    expect((await post(note('eve', id + 1))).status).toBe(200);
    expect((await post(note('mallory', id))).status).toBe(200);
    expect((await stack.pool.query(`select 1 from users where channel = 'gitlab'`)).rowCount).toBe(0);
    expect((await post(note('eve', id))).status).toBe(200);
    await cleo.waitFor(/eve at GitLab is you now/);
    await forge.ask({ forge: 'gitlab', environment: 'staging', repository: 'acme/known', actor: 'eve' });
    const rows = await eventually(
      async () =>
        (await stack.pool.query(`select needed, authors from approvals where card ->> 'what' like '%acme/known%'`))
          .rows,
      ({ length }) => length === 1,
    );
    expect(rows[0]).toMatchObject({ needed: 1, authors: expect.arrayContaining(['1003']) });
  });

  test.each([
    [
      'a commit that is not the short one',
      { commit_url: `https://gitlab.example/acme/shop/-/commit/${'0'.repeat(40)}` },
    ],
    ['a commit that is none', { commit_url: 'https://gitlab.example/acme/shop/-/commit/main' }],
    ['a project that leads elsewhere', { project: { id: 1, path_with_namespace: '../admin' } }],
    ['an environment of two lines', { environment: 'production\nApproved' }],
  ])('is refused with %s', async (_, change) => {
    const body = {
      object_kind: 'deployment',
      status: 'blocked',
      deployment_id: 15,
      deployable_id: 796,
      environment: 'staging',
      project: { id: 30, path_with_namespace: 'root/test-deployment-webhooks' },
      short_sha: '279484c0',
      user: { id: 1, name: 'Administrator', username: 'root' },
      commit_url:
        'http://10.126.0.2:3000/root/test-deployment-webhooks/-/commit/279484c09fbe69ededfced8c1bb6e6d24616b468',
      ...change,
    };
    expect((await post(body)).status).toBe(400);
    expect((await post(body, 'x'.repeat(40))).status).toBe(401);
  });
});
