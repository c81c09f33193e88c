import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { JOBS, type JobResult } from '@signalbox/contracts/operations/jobs';
import type { ToolContext } from '@signalbox/worker/tools/tool';
import { ensureLocalServer } from '@signalbox/store/deploy/servers';
import { openCapabilityBench, type CapabilityBench } from './bench.ts';

let bench: CapabilityBench;
beforeEach(async () => {
  bench = await openCapabilityBench();
});
afterEach(() => bench.close());

const create = (name: string, actionId?: string) =>
  bench.call('create_project_intent', { name, description: `What ${name} is for` }, actionId ? { actionId } : {});

describe('creating a project', () => {
  it('gives a name that two people request at the same time to one of them', async () => {
    const results = await Promise.allSettled(['act_a', 'act_b', 'act_c'].map((actionId) => create('shop', actionId)));
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused.map((result) => (result.reason as { code: string }).code)).toEqual([
      'ALREADY_EXISTS',
      'ALREADY_EXISTS',
    ]);
  });

  it('twice with the same action creates one project, also at the same time', async () => {
    const [first, second] = await Promise.all([create('shop', 'act_a'), create('shop', 'act_a')]);
    expect(second).toEqual(first);
    expect(await create('shop', 'act_a')).toEqual(first);
    expect(await bench.ports.projects.list()).toHaveLength(1);
  });

  it.each(['My Shop', '9lives', 'shop_2', '-shop'])(
    'with the name %j is refused with the rule for names',
    async (name) => {
      await expect(create(name)).rejects.toThrow(/lowercase letters, digits and single hyphens/);
    },
  );

  it('records who requested the project', async () => {
    await bench.pool.query(
      `insert into users (user_key, channel, name, role) values ('1002', 'telegram', 'Grace', 'developer')`,
    );
    await bench.call('create_project_intent', { name: 'shop', description: 'Sells shoes' }, { userKey: '1002' });
    expect(await bench.ports.projects.get('shop')).toMatchObject({
      owner: '1002',
      ownerName: 'Grace',
      status: 'intended',
    });
  });
});

describe('the login of a private repository', () => {
  const login = (handle: string, rest = {}) =>
    bench.call('update_project', { project: 'shop', repositoryLogin: handle, ...rest }, { userKey: '1001' });

  it('is stored as a secret handle with its owner, and removed when the repository changes', async () => {
    await create('shop');
    await login('secret:shop-token', { repository: 'https://git.example.org/shop.git' });
    const repositoryLogin = { handle: 'secret:shop-token', givenBy: '1001' };
    expect(await bench.ports.projects.get('shop')).toMatchObject({ repositoryLogin });
    await bench.call('update_project', { project: 'shop', repository: 'https://git.example.org/shop.git' });
    expect(await bench.ports.projects.get('shop')).toMatchObject({ repositoryLogin });
    await bench.call('update_project', { project: 'shop', repository: 'https://evil.example.org/shop.git' });
    expect(await bench.ports.projects.get('shop')).toMatchObject({ repositoryLogin: null });
  });

  it('is refused for a project without a repository, and when it is not the handle of a secret', async () => {
    await create('shop');
    await expect(login('secret:shop-token')).rejects.toMatchObject({ code: 'REPOSITORY_MISSING' });
    await expect(login('ghp_16C7e42F292c6912E7710c838347Ae178B4a')).rejects.toThrow(/given as a handle/);
  });
});

describe('the folder of a service', () => {
  const repository = 'https://git.example.org/all.git';

  it('is stored and shown with the repository', async () => {
    const given = { name: 'web', description: 'The shop', repository, folder: './apps/web/' };
    const { said } = await bench.call('create_project_intent', given);
    expect(said).toContain(`Repository: ${repository}, folder apps/web.`);
    expect(await bench.ports.projects.get('web')).toMatchObject({ repository: `${repository}#:apps/web` });
  });

  it('can be changed alone, and is cleared when the repository changes', async () => {
    await bench.call('create_project_intent', { name: 'web', description: 'The shop', repository });
    await bench.call('update_project', { project: 'web', folder: 'apps/web' });
    await bench.call('update_project', { project: 'web', folder: 'apps/api' });
    expect(await bench.ports.projects.get('web')).toMatchObject({ repository: `${repository}#:apps/api` });
    await bench.call('update_project', { project: 'web', repository: 'https://git.example.org/web.git' });
    expect(await bench.ports.projects.get('web')).toMatchObject({ repository: 'https://git.example.org/web.git' });
  });

  it('is refused without a repository, and when the folder lies outside of the repository', async () => {
    await create('shop');
    const move = (folder: string) => bench.call('update_project', { project: 'shop', folder });
    await expect(move('apps/web')).rejects.toMatchObject({ code: 'REPOSITORY_MISSING' });
    for (const folder of ['..', 'apps/../../x', 'a b']) await expect(move(folder)).rejects.toThrow(/below its root/);
  });
});

describe('the versions that can be deployed', () => {
  it('get no button, and a word of what to do, when nobody knows how to start the project', async () => {
    const planProblem = 'I cannot tell how 3f2a9c1 is started.';
    const seen = { project: 'shop', problem: null, branch: 'main', main: '3f2a9c1e', tags: ['v1.2.0'], planProblem };
    const loadPictures: ToolContext['work'] = (job) =>
      Promise.resolve({ kind: 'done', result: JOBS[job].result.parse(seen) as JobResult<typeof job> }); // as the job's schema says
    const withLook = await openCapabilityBench(() => loadPictures);
    try {
      const given = { name: 'shop', description: 'Shoes', repository: 'https://git.example.org/shop.git' };
      const { said, next } = await withLook.call('create_project_intent', given);
      expect(said).toContain(planProblem);
      expect(next).toEqual([]);
      const asked = await withLook.call('read_repository', { project: 'shop' });
      expect(asked.said).toContain(planProblem);
      expect(asked.next).toEqual([]);
    } finally {
      await withLook.close();
    }
  });

  it('are offered as buttons: the newest tags and the main branch', async () => {
    const seen = { project: 'demo', problem: null, branch: 'main', main: '3f2a9c1e', tags: ['1.2', '1.1'] };
    const loadPictures: ToolContext['work'] = (job) =>
      Promise.resolve({ kind: 'done', result: JOBS[job].result.parse(seen) as JobResult<typeof job> }); // as the job's schema says
    const withLook = await openCapabilityBench(() => loadPictures);
    try {
      await withLook.call('register_demo_project', {});
      const { said, next } = await withLook.call('read_repository', { project: 'demo', environment: 'production' });
      expect(said).toMatch(/its newest versions are 1\.2.*1\.1\. Which version should I deploy to production\?/);
      expect(next.map(({ value }) => value)).toEqual([
        'deploy demo 1.2 to production',
        'deploy demo 1.1 to production',
        'deploy demo main to production',
      ]);
    } finally {
      await withLook.close();
    }
  });
});

describe('changing a project', () => {
  it('keeps both of two simultaneous changes', async () => {
    await create('shop');
    await Promise.all([
      bench.call('update_project', { project: 'shop', description: 'Sells shoes' }),
      bench.call('update_project', { project: 'shop', repository: 'https://git.example.org/shop.git' }),
      bench.call('update_project', { project: 'shop', status: 'active' }),
    ]);
    expect(await bench.ports.projects.get('shop')).toMatchObject({
      description: 'Sells shoes',
      repository: 'https://git.example.org/shop.git',
      status: 'active',
      version: 4,
    });
  });

  it('twice with the same action changes the project once', async () => {
    await create('shop');
    const change = { project: 'shop', status: 'active' };
    await Promise.all([1, 2, 3].map(() => bench.call('update_project', change, { actionId: 'act_same' })));
    expect(await bench.ports.projects.get('shop')).toMatchObject({ status: 'active', version: 2 });
  });

  it('does not undo a later change when an earlier action is repeated', async () => {
    await create('shop');
    await bench.call('update_project', { project: 'shop', status: 'active' }, { actionId: 'act_early' });
    await bench.call('update_project', { project: 'shop', status: 'archived' });
    await bench.call('update_project', { project: 'shop', status: 'active' }, { actionId: 'act_early' });
    expect(await bench.ports.projects.get('shop')).toMatchObject({ status: 'archived' });
  });

  it('reports the change, and is refused when nothing would change', async () => {
    await create('shop');
    const { said } = await bench.call('update_project', { project: 'Shop', status: 'archived' });
    expect(said).toBe('I updated **shop**:\n\n- Status: archived');
    await expect(bench.call('update_project', { project: 'shop' })).rejects.toMatchObject({
      code: 'NOTHING_TO_CHANGE',
    });
  });

  it('with an unknown name is refused with the existing projects, the most similar first', async () => {
    await create('shop');
    await create('blog');
    await expect(bench.call('update_project', { project: 'shpo', status: 'active' })).rejects.toThrow(
      'I know no project named shpo. Known: shop (did you mean this?), blog.',
    );
  });
});

describe('a look-up of projects', () => {
  it('lists the projects without the archived ones', async () => {
    expect((await bench.call('list_projects', {})).said).toContain('There are no projects yet');
    await create('shop');
    await create('blog');
    await bench.call('update_project', { project: 'blog', status: 'archived' });
    expect((await bench.call('list_projects', {})).said).toBe('1 project:\n\n- **shop** (intended): What shop is for');
    expect((await bench.call('list_projects', { status: 'archived' })).said).toContain('**blog** (archived)');
  });

  it('lists the fifty projects that were changed last, and the number of the others', async () => {
    await bench.pool.query(
      `insert into projects (name, description, owner, action_id, updated_at)
       select 'shop-' || n, 'One of many', '1001', 'act_' || n, now() - n * interval '1 minute' from generate_series(1, 3000) n`,
    );
    const { said } = await bench.call('list_projects', {});
    expect(said.split('\n').filter((line) => line.startsWith('- '))).toHaveLength(50);
    expect(said).toMatch(/^3000 projects:\n\n- \*\*shop-1\*\*/);
    expect(said).toContain('2950 more are not listed here. Ask for an export');
  });

  it('shows ports, servers and running jobs of one project', async () => {
    await ensureLocalServer(bench.pool, { cpus: 2, memoryMb: 4096 });
    await create('shop');
    const taken = await bench.call('allocate_port', { project: 'shop', server: 'local', service: 'api' });
    const { port } = taken.output as { port: number }; // the first that nobody listens on, on whatever machine this is
    await bench.pool.query(
      `insert into runs (run_id, job, payload, trace_id, status) values ('r1', 'deploy.run', '{"project": "shop"}', 't', 'running'),
        ('r2', 'deploy.run', '{"project": "shop"}', 't', 'done'), ('r3', 'deploy.run', '{"project": "blog"}', 't', 'queued')`,
    );
    const { output, said } = await bench.call('get_project_status', { project: 'shop' });
    expect(output).toMatchObject({
      name: 'shop',
      ports: [{ server: 'local', port, service: 'api', memoryMb: 256 }],
      openRuns: [{ runId: 'r1', job: 'deploy.run', status: 'running' }],
    });
    expect(said.split('\n')).toEqual([
      '**shop** (intended): What shop is for',
      '',
      '- Owner: 1001',
      '- Repository: none yet',
      `- Port ${port} on local: api`,
      '- In progress: deploy.run (running)',
    ]);
  });

  it('throws NOT_FOUND for a project that does not exist', async () => {
    await expect(bench.call('get_project_status', { project: 'shop' })).rejects.toThrow(
      'I know no project named shop. Known: none yet.',
    );
  });
});
