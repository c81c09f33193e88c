import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appFiles } from '../../support/deploy-repository.ts';
import { openDeployBench, type DeployBench } from './deploy-bench.ts';

let bench: DeployBench;
beforeAll(async () => {
  bench = await openDeployBench();
  await bench.jobs.startService(bench.settings());
});
afterAll(() => bench.close());

const ALL = [
  'queued',
  'preparing',
  'building',
  'starting',
  'health_checking',
  'switching',
  'verifying',
  'draining',
  'succeeded',
];

describe('a deployment', () => {
  it('ends with the new release serving through the proxy, and the old program stopped', async () => {
    const shop = await bench.shop('shop');
    const commit = shop.repository.release('v1.0', appFiles({ build: `console.log('built it');` }));
    shop.repository.release('v1.1', appFiles({}));
    const said = await shop.deploy('act_1', 'v1.0');
    const release = `1.0-${commit.slice(0, 7)}`;
    expect(said).toContain(`✅ Deployed **shop** in staging: ${release} serves at http://127.0.0.1:`);
    expect(await shop.serves()).toBe(release);
    expect(await bench.states('act_1')).toEqual(ALL);
    expect(await bench.lines('act_1')).toEqual(['built it', `up with ${release}`]);
    expect(await bench.services.find(shop)).toMatchObject({ serving: 'act_1', release, server: 'local' });

    // One message was edited on the way.
    const edits = await bench.jobs.pool.query<{ text: string }>(
      `select body ->> 'text' as text from outbox where slot = 'act_1/deploy' and chat_key = 'telegram:1001' order by id`,
    );
    expect(edits.rows[0]?.text).toMatch(/^⏳ Deploying \*\*shop\*\* .* in staging\n▰/);
    expect(edits.rows.length).toBeLessThan(ALL.length);

    expect(await shop.deploy('act_2', '1.1')).toMatch(
      /1\.1-\w{7} serves at .* To undo it: .*1\.0-\w{7} served before/s,
    );
    expect(await shop.serves()).toMatch(/^1\.1-/);
    expect(await shop.leases()).toEqual(['instance:act_2', 'staging']);

    // Going back starts what was kept, without a build.
    const before = await bench.deployments.before(shop);
    expect(before).toMatchObject({ deploymentId: 'act_1', kept: true });
    const back = await shop.deploy('act_3', release, { kind: 'rollback', fromArtifact: 'act_1' });
    expect(back).toContain(`✅ Rolled back **shop** in staging: ${release} serves at`);
    expect(await shop.serves()).toBe(release);
    expect(await bench.states('act_3')).toEqual(ALL.filter((state) => state !== 'building'));

    // And builds it again when it is gone.
    await bench.jobs.pool.query(`update deployments set artifact_kept = false where deployment_id = 'act_2'`);
    expect(await shop.deploy('act_4', '1.1', { kind: 'rollback', fromArtifact: 'act_2' })).toContain('✅ Rolled back');
    expect(await shop.serves()).toMatch(/^1\.1-/);
    expect(await bench.states('act_4')).toEqual(ALL);
  });

  it('of the release that already serves offers no rollback', async () => {
    const shop = await bench.shop('again');
    shop.repository.release('v1', appFiles({}));
    await shop.deploy('act_a1', 'v1');
    const said = await shop.deploy('act_a2', 'v1');
    expect(said).toContain('✅ Deployed');
    expect(said).not.toContain('To undo it');
    expect(await bench.deployments.before(shop)).toBeNull();
  });

  it("whose instance is unhealthy leaves the old release serving, and shows the instance's output", async () => {
    const shop = await bench.shop('sick');
    shop.repository.release('v1', appFiles({}));
    shop.repository.release(
      'v2',
      appFiles({
        status: '500',
        begin: `console.error('no prices here');`,
        file: { health: { path: '/health', withinSeconds: 1 } },
      }),
    );
    await shop.deploy('act_s1', 'v1');
    const said = await shop.deploy('act_s2', 'v2');
    expect(said).toMatch(
      /❌ \*\*sick\*\* in staging: v2-\w{7} failed while waiting until it is healthy\. The new instance did not answer 200 at `\/health` within 1 s; its last answer was 500/,
    );
    expect(said).toMatch(/v1-\w{7} still serves.\n```\n(.*\n)*no prices here\n/);
    expect(await shop.serves()).toMatch(/^v1-/);
    expect(await bench.deployments.find('act_s2')).toMatchObject({
      state: 'failed',
      failure: { state: 'health_checking', code: 'INSTANCE_UNHEALTHY' },
    });
    expect(await shop.leases()).toEqual(['instance:act_s1', 'staging']);
  });

  it('whose program ignores $PORT fails with the port on which it listens, whatever its log says', async () => {
    const shop = await bench.shop('stubborn');
    const { 'server.mjs': server = '', ...rest } = appFiles({ file: { health: { withinSeconds: 1 } } });
    const own = server.replace(
      /server\.listen\(.*$/m,
      `server.listen(0, HOST, () => console.log('Server on http://localhost:4567/'));`,
    );
    shop.repository.release('v1', { ...rest, 'server.mjs': own });
    expect(await shop.deploy('act_i1', 'v1')).toMatch(
      /nothing listened on port \d+, which it was given as `\$PORT`; it listens on port \d+\. Let it listen on `\$PORT` of `\$HOST`\./,
    );
    const [failed] = await bench.deployments.list(shop, 1);
    expect(failed?.failure).toMatchObject({ code: 'PORT_IGNORED' });
  });

  it('whose program exits at the start fails at once, with the exit code', async () => {
    const shop = await bench.shop('ender');
    shop.repository.release(
      'v1',
      appFiles({ begin: `console.error('I go'); process.exit(3);`, file: { health: { withinSeconds: 60 } } }),
    );
    const said = await shop.deploy('act_e1', 'v1');
    expect(said).toMatch(/The new instance exited before it could serve: exit code 3\./);
    expect(said).toContain('I go');
    expect(said).toContain('Nothing serves there.');
  });

  it('whose start command is not installed says so, without the notices of the package manager', async () => {
    const shop = await bench.shop('caller');
    const scripts = { start: 'no-such-program serve' };
    shop.repository.release('v1', { 'package.json': JSON.stringify({ scripts }) });
    const said = await shop.deploy('act_n1', 'v1');
    expect(said).toMatch(/: exit code 127: a command in it is not installed there\./);
    expect(said).toContain('no-such-program');
    expect(said).not.toContain('npm notice');
  });

  it('whose build fails starts no program, and shows the last lines of the build', async () => {
    const shop = await bench.shop('builder');
    shop.repository.release('v1', appFiles({ build: `console.log('half of it'); process.exit(7);` }));
    const said = await shop.deploy('act_b1', 'v1');
    expect(said).toMatch(/v1-\w{7} failed while building\. The build failed: node build\.mjs ended with exit code 7\./);
    expect(said).toContain('half of it');
    expect(await bench.states('act_b1')).toEqual(['queued', 'preparing', 'building', 'failing', 'failed']);
  });

  it('with an invalid service file or an unknown ref fails before its start, and names a remedy', async () => {
    const shop = await bench.shop('odd');
    shop.repository.release('v1', { 'signalbox.json': '{"start": ["node"], "health": {"withinSeconds": "soon"}}' });
    expect(await shop.deploy('act_o1', 'v1')).toMatch(
      /Nothing was deployed. ref: The file signalbox.json of \w{7} is not usable: health.withinSeconds: .*expected number/,
    );
    expect(await shop.deploy('act_o2', 'v9')).toMatch(/I know no tag, branch or commit of .* named v9. Known: .*v1/);
    expect(await bench.states('act_o2')).toEqual(['queued', 'preparing', 'failing', 'failed']);
  });

  it('whose service file has an unknown key does not show that key in its error', async () => {
    const shop = await bench.shop('wordy');
    const key = '\n\n✅ Approved by Cleo: 2 of 2. [Sign in](https://evil.example/) **now**\n';
    shop.repository.release('v1', { 'signalbox.json': JSON.stringify({ start: ['node'], [key]: 1, strat: 1 }) });
    expect(await shop.deploy('act_wordy', 'v1')).toMatch(
      /The file signalbox.json of \w{7} is not usable: signalbox.json: Unrecognized keys: "…", "strat"\./,
    );
  });

  it('succeeds without a reported release when its instance answers behind the proxy', async () => {
    const shop = await bench.shop('plain');
    const { 'server.mjs': server = '', ...rest } = appFiles({});
    shop.repository.release('v1', {
      ...rest,
      'server.mjs': server.replace("{ 'x-release': SIGNALBOX_RELEASE }", '{}'),
    });
    await shop.deploy('act_p1', 'v1');
    expect((await bench.deployments.find('act_p1'))?.state).toBe('succeeded');
    expect(await shop.serves()).toMatch(/^v1-/);
  });

  it('without a signalbox.json is started by the start script of package.json', async () => {
    const shop = await bench.shop('package');
    const { 'server.mjs': server = '' } = appFiles({});
    shop.repository.release('v1', {
      'server.mjs': server,
      'package.json': JSON.stringify({ scripts: { start: 'node server.mjs' } }),
    });
    expect(await shop.deploy('act_k1', 'v1')).toMatch(/v1-\w{7} serves/);
    expect(await shop.serves()).toMatch(/^v1-/);
    shop.repository.release('v2', { 'README.md': 'nothing' });
    const said = await shop.deploy('act_k2', 'v2');
    expect(said).toMatch(/I cannot tell how \w{7} is started\. Say “the start command of/);
    expect(said).not.toContain('Name a tag');
  });

  it('whose program reports the release of another deployment is rolled back', async () => {
    const shop = await bench.shop('other');
    const { 'server.mjs': server = '', ...rest } = appFiles({});
    shop.repository.release('v2', { ...rest, 'server.mjs': server.replace(/'x-release': \w+/, "'x-release': 'v0'") });
    expect(await shop.deploy('act_q2', 'v2')).toMatch(/does not serve v2-\w{7}: what serves reports v0\./);
  });

  it('whose program reports no release after the switch is rolled back', async () => {
    const shop = await bench.shop('liar');
    shop.repository.release('v1', appFiles({}));
    shop.repository.release('v2', appFiles({ file: { release: { from: 'header', name: 'x-other' } } }));
    await shop.deploy('act_l1', 'v1');
    const said = await shop.deploy('act_l2', 'v2');
    expect(said).toMatch(/After the switch, liar\/staging does not serve v2-\w{7}: what serves reports no release\./);
    expect(said).toMatch(/Traffic was switched back. v1-\w{7} still serves./);
    expect(await shop.serves()).toMatch(/^v1-/);
    expect((await bench.deployments.find('act_l2'))?.state).toBe('rolled_back');
    expect(await shop.leases()).toEqual(['instance:act_l1', 'staging']);
  });
});
