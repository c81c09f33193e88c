import { describe, expect, it } from 'vitest';
import { bench, deploy, deployed, rows, setState, STAGING, useDeployBench } from './deploy-bench.ts';

useDeployBench();

describe('triggering a deployment', () => {
  it('writes the request and starts its job under the same id, once for two calls', async () => {
    const { said } = await deploy('1.0', 'act_a');
    await deploy('1.0', 'act_a');
    expect(await rows()).toEqual([{ id: 'act_a', kind: 'deploy', ref: '1.0', state: 'queued', from: null }]);
    const payload = { deploymentId: 'act_a', ...STAGING };
    expect(bench.started).toEqual([
      { job: 'deploy.run', payload },
      { job: 'deploy.run', payload },
    ]);
    expect(said).toMatch(/Deploying \*\*demo 1\.0\*\* to staging, on local/);
    expect(said).not.toMatch(/deployed/i);
  });

  it('answers with the release that serves until the deployment ends', async () => {
    await deployed('1.0');
    expect((await deploy('1.1', 'act_b')).said).toContain('`1.0.0-abc1234` keeps serving until it is healthy');
  });

  it('is refused while another deployment of the service runs, and the refusal names its requester', async () => {
    await deploy('1.0', 'act_a');
    await expect(deploy('1.1', 'act_b')).rejects.toThrow(/demo in staging is busy: .* requested a deployment of 1\.0/);
    expect(await rows()).toHaveLength(1);
    expect(bench.started).toHaveLength(1);
  });

  it('refuses a version that git could read as an option, or a shell as a command', async () => {
    for (const version of ['-rf', '--upload-pack=x', '', '1.0;ls', '$(id)'])
      await expect(deploy(version, 'act_a')).rejects.toThrow();
    expect(await rows()).toEqual([]);
  });

  it('of a project without a repository is answered with what the project needs', async () => {
    await bench.call('create_project_intent', { name: 'blog', description: 'Articles' });
    const call = bench.call('trigger_deploy', { project: 'blog', version: '1.0', environment: 'staging' });
    await expect(call).rejects.toThrow(/blog has no repository yet/);
  });

  it('shows approvers the change from the serving release', async () => {
    const preview = () => bench.preview('trigger_deploy', { ...STAGING, environment: 'production', version: '1.1' });
    expect(await preview()).toMatchObject({
      what: 'Deploy demo 1.1 to production',
      change: 'nothing serves there yet → `1.1`',
      undo: 'there is nothing before it to go back to',
    });
    await deployed('1.0', 'production');
    expect(await preview()).toMatchObject({
      change: '`1.0.0-abc1234` → `1.1`',
      undo: expect.stringContaining('roll back'),
    });
  });
});

describe('cancelling a deployment', () => {
  it('ends a deployment that has not started at once, and names the serving release', async () => {
    await deployed('1.0');
    await deploy('1.1', 'act_b');
    const { said } = await bench.call('cancel_deploy', { project: 'demo' }, { actionId: 'act_c' });
    expect(said).toBe('Cancelled: demo 1.1 will not be deployed to staging. `1.0.0-abc1234` keeps serving.');
    expect((await rows()).at(-1)).toMatchObject({ id: 'act_b', state: 'cancelled' });
    // The answer to the same call again, after a crash.
    expect((await bench.call('cancel_deploy', { project: 'demo' }, { actionId: 'act_c' })).said).toBe(said);
  });

  it('waits until the build has stopped, and reports that it waits', async () => {
    await deploy('1.1', 'act_b');
    await setState('act_b', 'building');
    const answer = bench.call('cancel_deploy', { project: 'demo' });
    await expect
      .poll(async () => (await bench.ports.deployments.find('act_b'))?.cancelAt ?? null, { timeout: 10_000 })
      .not.toBeNull();
    await setState('act_b', 'cancelled');
    expect((await answer).said).toMatch(/^Cancelled: demo 1\.1 will not be deployed to staging\. Nothing serves there/);
  });

  it('is refused after the switch, and offers a rollback', async () => {
    await deploy('1.1', 'act_b');
    await setState('act_b', 'verifying');
    const call = bench.call('cancel_deploy', { project: 'demo', environment: 'staging' });
    await expect(call).rejects.toThrow(/too late to cancel demo 1\.1: .*Say “roll back demo in staging”/);
    expect((await bench.ports.deployments.find('act_b'))?.cancelAt).toBeNull();
  });

  it('asks for the environment when two deployments are open, and reports when none is open', async () => {
    await expect(bench.call('cancel_deploy', { project: 'demo' })).rejects.toThrow(
      /No deployment of demo is in progress/,
    );
    await deploy('1.1', 'act_b');
    await deploy('1.1', 'act_p', 'production');
    await expect(bench.call('cancel_deploy', { project: 'demo' })).rejects.toThrow(/In which environment\?/);
    expect((await rows()).map(({ state }) => state)).toEqual(['queued', 'queued']);
  });
});

describe('a look-up about deployments', () => {
  it('shows the state of the newest deployment and the serving release', async () => {
    await deployed('1.0');
    await deploy('1.1', 'act_b');
    await setState('act_b', 'building');
    const { said } = await bench.call('get_deploy_status', { project: 'demo' });
    expect(said).toMatch(/\*\*demo 1\.1\*\* in staging: building for [\d.]+ s\. Requested by/);
    expect(said).toContain('**demo** in staging: `1.0.0-abc1234` serves on local');
  });

  it('shows why a deployment failed, and its last lines as untrusted text', async () => {
    await deploy('1.2', 'act_b');
    await setState('act_b', 'failed');
    const failure = {
      state: 'health_checking',
      code: 'HEALTH_FAILED',
      sentence: 'It answered 500.',
      lines: ['Error: ```no prices'],
    };
    await bench.pool.query('update deployments set failure = $1 where deployment_id = $2', [
      JSON.stringify(failure),
      'act_b',
    ]);
    const status = await bench.call('get_deploy_status', { project: 'demo' });
    expect(status.said).toMatch(/^It failed while waiting until it is healthy\. It answered 500\.\n/);
    const logs = await bench.call('get_deploy_logs', { project: 'demo' });
    expect(logs.said).toContain('````\nError: ```no prices\n````');
    const source = 'get_deploy_logs';
    expect(bench.enclose(source, logs.output)).toMatchObject({
      lines: { outside: source, text: ['Error: ```no prices'] },
    });
    // A program has a part in the reason of a failure.
    expect(bench.enclose('get_deploy_status', status.output)).toMatchObject({
      newest: {
        state: 'failed',
        failure: { outside: 'get_deploy_status', text: expect.stringContaining('It answered 500.') },
      },
    });
  });

  it('lists running services and past deployments', async () => {
    await deployed('1.0');
    await deployed('1.1');
    expect((await bench.call('list_services', {})).said).toBe('- **demo** in staging: `1.1.0-abc1234` serves on local');
    expect((await bench.call('list_services', { environment: 'production' })).said).toContain(
      'Nothing runs in production',
    );
    const history = (await bench.call('list_deployments', { project: 'demo' })).said.split('\n');
    expect(history).toHaveLength(2);
    expect(history[0]).toMatch(/demo 1\.1\*\* in staging: deployed [\d.]+ s ago, the current one/);
  });

  it.each<
    readonly [
      how: string,
      seen: Readonly<Record<string, unknown>> | null,
      agoS: number,
      isStopped: boolean,
      said: string,
    ]
  >([
    ['is well', { verdict: 'healthy' }, 5, false, '`1.0.0-abc1234` serves on local'],
    ['is down', { verdict: 'down' }, 5, false, '`1.0.0-abc1234` on local is **down**'],
    [
      'answers slowly',
      { verdict: 'degraded' },
      5,
      false,
      '`1.0.0-abc1234` serves on local, with problems: “diagnose demo”',
    ],
    [
      'was stopped for its crashes',
      { verdict: 'healthy' },
      5,
      true,
      '`1.0.0-abc1234` on local was **stopped**, as it crashed again and again',
    ],
    [
      'was seen by nobody lately',
      { verdict: 'healthy' },
      600,
      false,
      '`1.0.0-abc1234` on local; its health has not been checked for 2 minutes',
    ],
    ['was never seen', null, 600, false, '`1.0.0-abc1234` on local; its health has not been checked for 2 minutes'],
    [
      'was down with the release before',
      { verdict: 'down', release: '0.9.0-abc' },
      5,
      false,
      '`1.0.0-abc1234` serves on local',
    ],
  ])('shows the health of a service that %s', async (_, seen, agoS, isStopped, said) => {
    const id = await deployed('1.0');
    const health = seen && { release: '1.0.0-abc1234', ...seen };
    await bench.pool.query(`update services set health = $1, health_at = clock_timestamp() - $2 * interval '1 s'`, [
      health,
      agoS,
    ]);
    await bench.pool.query(`update deployments set state_at = clock_timestamp() - $1 * interval '1 s'`, [agoS]);
    if (isStopped)
      await bench.pool.query(
        `insert into deployment_events (deployment_id, n, to_state, actor, evidence)
          values ($1, 90, 'succeeded', 'system', '{"crashLoop": {"restarts": 5, "withinMs": 60000}}')`,
        [id],
      );
    expect((await bench.call('list_services', {})).said).toBe(`- **demo** in staging: ${said}`);
    expect((await bench.call('get_deploy_status', { project: 'demo' })).said).toContain(`**demo** in staging: ${said}`);
  });
});

describe('a question about a deployment without its name', () => {
  const ask = (args = {}) => bench.call('get_deploy_status', args, { userKey: '1001' });

  it('is about the last deployment of this conversation, else of this person, unless a project is named', async () => {
    expect((await ask()).said).toBe('No deployment has been requested yet.');
    await deployed('1.0');
    await deployed('1.1', 'production');
    expect((await ask()).output).toMatchObject({ project: 'demo', newest: { version: '1.1' } });
    await bench.pool.query(`update deployments set thread_id = 'user_1009_1', user_key = '1009' where ref = '1.1'`);
    expect((await ask()).output).toMatchObject({ newest: { version: '1.0' } });
    await bench.pool.query(`update deployments set thread_id = 'user_1001_9' where ref = '1.0'`);
    expect((await ask()).output).toMatchObject({ newest: { version: '1.0' } });
    await bench.pool.query(`update deployments set user_key = '1009'`);
    expect((await ask()).output).toMatchObject({ newest: { version: '1.1' } });
    expect((await ask({ project: 'demo', environment: 'staging' })).output).toMatchObject({
      newest: { version: '1.0' },
    });
  });

  it('is answered with why the deployment failed first, and with buttons for its log and a new try', async () => {
    await deployed('1.0');
    expect((await ask()).next).toEqual([]);
    await deploy('1.1', 'act_f');
    await setState('act_f', 'failed');
    const failure = { state: 'building', code: 'BUILD_FAILED', sentence: 'The build failed: tsc ended.', lines: [] };
    await bench.pool.query(`update deployments set failure = $1 where deployment_id = 'act_f'`, [failure]);
    const { said, next } = await ask();
    expect(said).toMatch(/^It failed while building\. The build failed: tsc ended\.\n/);
    expect(next.map(({ value }) => value)).toEqual([
      'show the deploy logs of demo in staging',
      'deploy demo 1.1 to staging',
    ]);
    await deployed('1.2');
    expect((await ask()).next.map(({ value }) => value)).toEqual([
      'roll back demo in staging to version 1.0.0-abc1234',
    ]);
  });
});

describe('variables of a service', () => {
  const set = (name: string, value: string) => bench.call('set_service_variable', { ...STAGING, name, value });
  const stored = async () =>
    (await bench.pool.query('select name, value, secret, given_by from service_variables order by name')).rows;

  it('store a value, or a secret handle with the person who set it', async () => {
    expect((await set('GREETING', 'hello')).said).toBe(
      '`GREETING` of **demo** in staging is `hello` from the next deployment on.',
    );
    await set('GREETING', 'good morning');
    const secret = await set('DB_PASSWORD', 'secret:db-password-7f3a9c2e');
    expect(secret.said).toContain('forgotten after a day');
    expect((await set('KEPT', 'secret:db-password')).said).not.toContain('forgotten after a day');
    await bench.call('remove_service_variable', { ...STAGING, name: 'KEPT' });
    expect(await stored()).toEqual([
      { name: 'DB_PASSWORD', value: null, secret: 'secret:db-password-7f3a9c2e', given_by: '1001' },
      { name: 'GREETING', value: 'good morning', secret: null, given_by: '1001' },
    ]);
    expect((await bench.call('list_service_variables', STAGING)).said).toBe(
      '- `DB_PASSWORD`: the secret `secret:db-password-7f3a9c2e`\n- `GREETING`: `good morning`',
    );
  });

  it('are removed once, and removing an unknown variable is refused with the known names', async () => {
    const remove = (name: string, actionId: string) =>
      bench.call('remove_service_variable', { ...STAGING, name }, { actionId });
    await set('GREETING', 'hello');
    await set('LOG_LEVEL', 'debug');
    const card = await bench.preview('remove_service_variable', { ...STAGING, name: 'GREETING' });
    expect(card?.change).toBe('`hello` → not set, from the next deployment on');
    expect((await remove('GREETING', 'act_r')).said).toBe(
      '`GREETING` of **demo** in staging is removed from the next deployment on.',
    );
    expect(await stored()).toMatchObject([{ name: 'LOG_LEVEL' }]);
    await expect(remove('GREETING', 'act_s')).rejects.toThrow(/variable of demo in staging named GREETING.*LOG_LEVEL/);
  });

  it('do not accept a secret as a part of a value', async () => {
    await expect(set('DATABASE_URL', 'postgres://shop:secret:db-password@db/shop')).rejects.toThrow(
      /has to be the whole value/,
    );
    expect(await stored()).toEqual([]);
  });

  it('must have names that are valid in a shell', async () => {
    for (const name of ['1ST', 'A B', 'A-B', '']) await expect(set(name, 'x')).rejects.toThrow();
    expect(await stored()).toEqual([]);
  });
});
