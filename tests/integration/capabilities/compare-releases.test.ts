import { ensureLocalServer } from '@signalbox/store/deploy/servers';
import type { ToolContext } from '@signalbox/worker/tools/tool';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openCapabilityBench, type CapabilityBench } from './bench.ts';

const commitOf = (letter: string): string => letter.repeat(40);
const NEW = { commit: commitOf('b'), at: '2026-11-27T09:00:00.000Z', subject: 'Greet in the morning', author: 'Eve' };
let bench: CapabilityBench;
let compared: unknown[];
beforeEach(async () => {
  compared = [];
  // The repository's part of the job is tested with the job.
  const work: Parameters<typeof openCapabilityBench>[0] = () =>
    (async (_job: string, payload: { before: string; after: string; path?: string }) => {
      compared.push(payload);
      if (payload.after === 'nothing')
        return { kind: 'done', result: { kind: 'unread', problem: 'I know no tag named nothing.' } };
      const { before, after } = payload;
      const added = { added: [NEW], addedTotal: 12, removed: [], removedTotal: 0, filesChanged: 3 };
      const files = [
        { path: 'src/server.js', added: 3, removed: 1 },
        { path: 'logo.png', added: null, removed: null },
      ];
      const diff = payload.path === undefined ? null : { text: '-Hello\n+Good morning', totalLines: 9 };
      return { kind: 'done', result: { kind: 'compared', before, after, ...added, files, diff } };
    }) as unknown as ToolContext['work'];
  bench = await openCapabilityBench(work);
  await ensureLocalServer(bench.pool, { cpus: 2, memoryMb: 4_096 });
  await bench.pool.query(
    `insert into projects (name, description, owner, action_id, repository) values ('shop', '', '1001', 'act_shop', 'file:///srv/shop.git');
     insert into services (project, environment, server) values ('shop', 'staging', 'local'), ('shop', 'production', 'local')`,
  );
});
afterEach(() => bench.close());

async function deploy(
  id: string,
  ref: string,
  letter: string,
  hours: number,
  more: { environment?: string; state?: string; marks?: Record<string, string> } = {},
): Promise<void> {
  const { environment = 'staging', state = 'succeeded', marks = {} } = more;
  const variables = Object.entries(marks).map(([name, mark]) => ({ name, mark }));
  await bench.pool.query(
    `insert into deployments (deployment_id, project, environment, server, driver, kind, ref, commit, release, state, user_key, plan, requested_at, finished_at)
       values ($1, 'shop', $5, 'local', 'process', 'deploy', $2, $3, $2 || '-' || left($3, 7), $6, '1001', $7, now(), now() - $4 * interval '1 hour')`,
    [id, ref, commitOf(letter), hours, environment, state, { variables }],
  );
  if (state === 'succeeded')
    await bench.pool.query(`update services set serving = $1 where environment = $2`, [id, environment]);
}
const compare = (args: object) => bench.call('compare_releases', { project: 'shop', ...args });

it('two releases of one environment are compared by commits, variables as deployed, and how they ran', async () => {
  await deploy('act_1', '1.0', 'a', 9, { marks: { GREETING: 'v1', OLD: 'v1', SAME: 'v1' } });
  await deploy('act_2', 'v1.1', 'b', 3, { marks: { GREETING: 'v2', NEW: 'v1', SAME: 'v1' } });
  await bench.pool.query(
    `insert into error_groups (project, environment, fingerprint, source, sample, release, first_seen, last_seen, count)
       values ('shop', 'staging', 'f', 'log', 'Error', '1.0-aaaaaaa', now(), now(), 4);
     insert into incidents (subject, kind, detail, opened_at) values ('service:shop/staging', 'down', '', now() - interval '5 hours')`,
  );
  const { output, said } = await compare({ before: '1.0', after: '1.1' });
  expect(compared).toEqual([{ project: 'shop', before: commitOf('a'), after: commitOf('b') }]);
  expect(output).toMatchObject({
    before: { version: '1.0', deployment: 'act_1', environment: 'staging', isServing: false, errors: 4, incidents: 1 },
    after: { version: '1.1', deployment: 'act_2', isServing: true, servedUntil: null, errors: 0, incidents: 0 },
    variables: { onlyBefore: ['OLD'], onlyAfter: ['NEW'], different: ['GREETING'] },
    code: { addedTotal: 12, filesChanged: 3 },
  });
  expect(said).toContain('with 4 errors in its log and 1 incident');
  expect(said).toContain(
    '12 commits are new, none is gone; 3 files differ.\n- `bbbbbbb` Greet in the morning (Eve)\n- … and 11 more',
  );
  expect(said).toContain('- src/server.js +3 −1\n- logo.png (binary)\n- … and 1 more file');
  expect(said).toContain(
    'Variables that differ: only before: `OLD`. only after: `NEW`. with another value: `GREETING`.',
  );
  expect(JSON.stringify(bench.enclose('compare_releases', output))).toMatch(/"text":\{"outside":"compare_releases"/);
});

it('with a path, the lines that differ are shown instead of the files', async () => {
  await deploy('act_1', '1.0', 'a', 9);
  await deploy('act_2', '1.1', 'b', 3);
  const { said, output } = await compare({ before: '1.0', after: '1.1', path: './src//server.js' });
  expect(compared.at(-1)).toMatchObject({ path: 'src/server.js' });
  expect(said).toContain('-Hello\n+Good morning');
  expect(said).toContain('These are the first 2 of 9 lines.');
  expect(said).not.toContain('logo.png');
  expect(JSON.stringify(bench.enclose('compare_releases', output))).toMatch(/"text":\{"outside":"compare_releases"/);
});

it('without names, production is compared with staging; one name is compared with production', async () => {
  await deploy('act_1', '1.0', 'a', 9, { environment: 'production' });
  await deploy('act_2', '1.1', 'b', 3);
  await bench.pool.query(
    `insert into service_variables (project, environment, name, value, secret, given_by, action_id) values
       ('shop', 'staging', 'GREETING', 'quiet-value-1', null, '1001', 'a'), ('shop', 'production', 'GREETING', 'quiet-value-2', null, '1001', 'b'),
       ('shop', 'staging', 'SAME', 'x', null, '1001', 'a'), ('shop', 'production', 'SAME', 'x', null, '1001', 'b'),
       ('shop', 'staging', 'TOKEN', null, 'secret:t', '1001', 'a')`,
  );
  const { output } = await compare({});
  expect(output).toMatchObject({
    before: { environment: 'production', version: '1.0' },
    after: { environment: 'staging', version: '1.1' },
    variables: { onlyBefore: [], onlyAfter: ['TOKEN'], different: ['GREETING'] },
  });
  expect(JSON.stringify(output)).not.toMatch(/quiet-value|secret:t/);
  for (const args of [{ before: 'production' }, { before: 'Staging' }, { after: '1.1' }]) {
    compared = [];
    await compare(args);
    expect(compared).toEqual([{ project: 'shop', before: commitOf('a'), after: commitOf('b') }]);
  }
});

it('a version that was never deployed is compared by its code alone, and what cannot be read is told', async () => {
  await deploy('act_1', '1.0', 'a', 9, { environment: 'production' });
  await deploy('act_2', '1.5', 'b', 3, { state: 'failed' });
  const never = await compare({ after: 'fix/#12+late' });
  expect(compared.at(-1)).toMatchObject({ after: 'fix/#12+late' });
  expect(never.output).toMatchObject({ after: { version: 'fix/#12+late', environment: null }, variables: null });
  expect(never.said).toContain('`fix/#12+late` was never deployed.');
  expect((await compare({ after: '1.5' })).said).toContain('`1.5` was deployed to staging but never served.');
  expect((await compare({ after: 'nothing' })).said).toContain('I know no tag named nothing.');
});

it('an environment in which nothing ever served, and a project without a repository, are refused with the reason', async () => {
  await expect(compare({})).rejects.toThrow('Nothing of shop serves in production, so there is nothing to compare.');
  await bench.call('create_project_intent', { name: 'garden', description: 'Flowers.' });
  await expect(bench.call('compare_releases', { project: 'garden' })).rejects.toThrow(/garden has no repository yet/);
  await expect(compare({ before: '--all' })).rejects.toThrow(/name an environment, or a version/);
});
