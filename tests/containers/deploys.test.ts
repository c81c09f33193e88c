import { putSecrets } from '@signalbox/store/secrets';
import { createServerStore } from '@signalbox/store/deploy/servers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TEST_CIPHER } from '../integration/jobs/bench.ts';
import { ADA, openDeployBench, type DeployBench } from '../integration/jobs/deploy-bench.ts';
import { appFiles } from '../support/deploy-repository.ts';
import { eventually } from '../support/until.ts';
import { addReleases, goThroughDeployments } from './deploy-steps.ts';
import { prepareEngine, type DriverEngine } from './driver-engine.ts';
import { openEngine, type Engine } from './engine.ts';
import { reportNotRun } from './not-run.ts';
import { openSshServer, type SshServer } from './ssh-server.ts';

const engine = await openEngine();
if ('problem' in engine) reportNotRun('deployments to an engine', engine.problem);
const ssh = 'problem' in engine ? engine : await openSshServer();
if ('problem' in ssh) reportNotRun('deployments to a server behind ssh', ssh.problem);
let prepared: DriverEngine;
let bench: DeployBench;

describe.skipIf('problem' in engine)('a deployment to a Docker engine', () => {
  beforeAll(async () => {
    prepared = await prepareEngine(engine as Engine); // the suite is skipped otherwise
    bench = await openDeployBench();
    await bench.jobs.pool.query(
      `insert into servers (name, host, environment, cpus, memory_mb, first_port, last_port, action_id, driver, connection, measured_at)
       values ('box-1', '127.0.0.1', 'staging', 2, 4000, 31000, 31099, 'act_box', 'docker', $1, now())`,
      [JSON.stringify({ socket: (engine as Engine).socket })],
    );
    await bench.jobs.startService(bench.settings({ BASE_IMAGE: prepared.parts.baseImage }));
  });
  afterAll(async () => {
    await bench?.close();
    await prepared?.removeAll();
    await prepared?.close();
    if (!('problem' in ssh)) await ssh.close();
    if (!('problem' in engine)) await engine.close();
  });

  it('builds an image, switches traffic to its container, and rolls back to the stored image', async () => {
    const shop = await bench.shop('boxed');
    shop.repository.release('v1', appFiles({ build: `console.log('built in a container');` }));
    shop.repository.release('v2', appFiles({}));
    shop.repository.release('v3', appFiles({ begin: `console.error('I go'); process.exit(3);` }));
    expect(await shop.deploy('act_b1', 'v1')).toContain('✅');
    expect(await bench.services.find(shop)).toMatchObject({ server: 'box-1' });
    expect((await bench.lines('act_b1')).join('\n')).toContain('built in a container');
    expect(await shop.serves()).toMatch(/^v1-/);
    expect(await shop.deploy('act_b2', 'v2')).toContain('✅');
    expect(await shop.serves()).toMatch(/^v2-/);
    const failed = await shop.deploy('act_b3', 'v3');
    expect(failed).toMatch(/exit code 3[^]*v2-\w{7} still serves[^]*I go/);
    expect(await shop.serves()).toMatch(/^v2-/);
    const back = await shop.deploy('act_b4', 'v1', { kind: 'rollback', fromArtifact: 'act_b1' });
    expect(back).toContain('✅ Rolled back');
    expect(await bench.states('act_b4')).not.toContain('building');
    expect(await shop.serves()).toMatch(/^v1-/);
    const format = '{{.Label "signalbox.deployment"}} {{.State}}';
    const running = await (engine as Engine).docker([
      'ps',
      '--filter',
      'label=signalbox.project=boxed',
      '--format',
      format,
    ]);
    expect(running.trim().split('\n')).toEqual(['act_b4 running']);
  });

  it('that is cancelled leaves no container of its build', async () => {
    const shop = await bench.shop('unboxed');
    shop.repository.release('v1', appFiles({ build: `console.log('begun'); setTimeout(() => {}, 60_000);` }));
    await shop.ask('act_u1', 'v1');
    await eventually(
      async () => (await bench.lines('act_u1')).join('\n'),
      (text) => text.includes('begun'),
      60_000,
    );
    const before = await (engine as Engine).docker(['ps', '--quiet']);
    await bench.deployments.cancel('act_u1', ADA, 'act_uc');
    expect(await bench.reaches('act_u1', 'cancelled', 'failed', 'succeeded')).toBe('cancelled');
    const after = await (engine as Engine).docker(['ps', '--quiet']);
    expect(after.trim().split('\n').length).toBeLessThan(before.trim().split('\n').length);
  });

  it.skipIf('problem' in ssh)(
    'on a server behind ssh succeeds and rolls back once the host key of the server is approved',
    async () => {
      const { port, user, key, hostKey } = ssh as SshServer; // it is skipped otherwise
      const { pool } = bench.jobs;
      const handle = 'secret:vps-key';
      const ciphertext = TEST_CIPHER.seal(key, { userKey: ADA, handle });
      await putSecrets(pool, [{ userKey: ADA, handle, kind: 'key', ciphertext, keptMs: null }]);
      const { socket } = engine as Engine;
      await pool.query(
        `insert into servers (name, host, environment, cpus, memory_mb, first_port, last_port, action_id, driver, connection, measured_at)
       values ('vps-1', '127.0.0.1', 'staging', 2, 4000, 31100, 31199, 'act_vps', 'ssh', $1, now())`,
        [JSON.stringify({ socket, port, user, key: { handle, owner: ADA } })],
      );
      const shop = await bench.shop('remote');
      addReleases(shop);
      const untrusted = await shop.deploy('act_r0', 'v1', { server: 'vps-1' });
      expect(untrusted).toMatch(/❌[^]*host key/);
      expect(untrusted).toContain(hostKey);
      // Somebody compares it with what the server's console says, and another person approves that.
      await pool.query(`update servers set host_key_seen = $1 where name = 'vps-1'`, [hostKey]);
      await createServerStore(pool).trustHostKey('vps-1', hostKey, 'act_trust');
      expect(await shop.deploy('act_r_1', 'v1', { server: 'vps-1' })).toContain('✅');
      expect(await bench.services.find(shop)).toMatchObject({ server: 'vps-1' });
      await goThroughDeployments(bench, shop, 'act_r');
      const running = [
        'ps',
        '--filter',
        'label=signalbox.project=remote',
        '--format',
        '{{.Label "signalbox.deployment"}}',
      ];
      expect((await (engine as Engine).docker(running)).trim()).toBe('act_r_4');
    },
  );
});
