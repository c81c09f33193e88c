import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Driver, ProgramInstance, ReleaseId } from '@signalbox/jobs/drivers/driver';
import { openDriver } from '@signalbox/jobs/drivers/open-driver';
import { getTrustSettings } from '@signalbox/jobs/drivers/process/commands';
import { readPrograms } from '@signalbox/jobs/drivers/read-programs';
import type { ServiceFile } from '@signalbox/contracts/operations/deploy';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { APP, appFile, newRelease, processesWith, soon } from '../../contracts/driver-releases.ts';
import { openTestConfinement } from '../../support/bubblewrap.ts';
import { loadTestConfig } from '../../support/config.ts';
import { freePort } from '../../support/free-port.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { eventually, until } from '../../support/until.ts';

const SHIM = readPrograms('limit.sh', 'shim.sh');
const { confinement } = await openTestConfinement();
let driver: Driver;
let targetsDir: string;
const started: ProgramInstance[] = [];
beforeEach(async () => {
  targetsDir = makeTemporaryFolder('targets');
  const server = { name: 'local', host: '127.0.0.1', driver: 'process', connection: {}, hostKey: null } as const;
  const parts = { targetsDir, path: loadTestConfig().path, baseImage: '', restarts: 1, confinement };
  driver = await openDriver(server, { ...parts, openSecret: async () => '' });
});
afterEach(async () => {
  for (const instance of started.splice(0)) await driver.stop(instance, 0, soon());
});

const launch = async (over: Partial<ServiceFile> = {}, variables: Record<string, string> = {}) => {
  const id = newRelease();
  const file = { ...appFile(), ...over };
  const artifact = await driver.build({ id, sourceDir: APP, file, onLine: () => undefined, signal: soon() });
  const wanted = { id, artifact, file, variables, port: await freePort() };
  const instance = await driver.start(wanted, soon());
  started.push(instance);
  const folder = join(targetsDir, instance.ref, 'instance');
  return { id, instance, folder, wanted };
};
const serves = (instance: ProgramInstance, id: ReleaseId) =>
  until(async () => (await ask(instance, '/').catch(() => null))?.headers.get('x-release') === id.release, 30_000);
const ask = (instance: ProgramInstance, path: string) =>
  fetch(`http://127.0.0.1:${instance.port}${path}`, { signal: AbortSignal.timeout(20_000) });
const pidIn = (folder: string, name: 'pid' | 'shim') => Number(readFileSync(join(folder, name), 'utf8').split(' ')[0]);

describe('a program whose shim was killed', { timeout: 60_000 }, () => {
  it('is still found, still serves, and can be stopped', async () => {
    const { id, instance, folder } = await launch();
    await serves(instance, id);
    process.kill(pidIn(folder, 'shim'), 'SIGKILL');
    expect(await driver.state(instance, soon())).toMatchObject({ kind: 'running', restarts: 0 });
    await serves(instance, id);
    expect(await driver.stop(instance, 5_000, soon())).toBe('graceful');
    // Who would have written the exit code is gone.
    expect(await driver.state(instance, soon())).toEqual({
      kind: 'exited',
      code: null,
      oom: false,
      restarts: 0,
      at: null,
      lost: 'it was killed together with what watches over it',
    });
  });

  it('counts as ended, even when another process has its pid', async () => {
    const { id, instance, folder } = await launch();
    await serves(instance, id);
    for (const name of ['shim', 'pid'] as const) process.kill(pidIn(folder, name), 'SIGKILL');
    await eventually(
      () => driver.state(instance, soon()),
      (now) => now.kind === 'exited',
    );
    // The kernel has given the number to another process: this one.
    writeFileSync(join(folder, 'pid'), `${process.pid} 1\n`);
    expect(await driver.state(instance, soon())).toMatchObject({ kind: 'exited' });
    expect(await driver.stop(instance, 100, soon())).toBe('gone');
  });
});

describe('a program that exits at the moment it is asked to', { timeout: 60_000 }, () => {
  it('is recorded with its own exit code and not with the signal of its shim', async () => {
    const codes: unknown[] = [];
    for (let n = 0; n < 10; n++) {
      const { instance, folder } = await launch({
        start: ['sh', '-c', 'trap "exit 7" TERM; while :; do sleep 0.01; done'],
      });
      await until(async () => existsSync(join(folder, 'pid')), 10_000);
      await sleep(200); // its trap is set by then
      await driver.stop(instance, 10_000, soon());
      const state = await driver.state(instance, soon());
      codes.push(state.kind === 'exited' ? state.code : state.kind);
    }
    expect(codes).toEqual(Array(10).fill(7));
  });
});

describe('a program that exits before its shim first checks it', { timeout: 60_000 }, () => {
  it('is recorded with its own exit code at once', async () => {
    const [launcher, filter] = ['echo "{ \\"child-pid\\": $$ }" >&7; exit 7', '']; // stands for a bubblewrap that is as quick
    const limits = ['4000000', '1024', '1000000', '', ''];
    for (let n = 0; n < 5; n++) {
      const folder = makeTemporaryFolder('instance');
      for (const [name, text] of Object.entries({ filter, 'shim.sh': SHIM })) writeFileSync(join(folder, name), text);
      const words = [join(folder, 'shim.sh'), folder, '0', 'true', ...limits, '--', 'sh', '-c', launcher];
      const shim = spawn('/bin/sh', words, { env: { _sb_args0: 'eA==' }, stdio: 'ignore' });
      onTestFinished(() => void shim.kill('SIGKILL'));
      const end = await until(() => existsSync(join(folder, 'exit')) && readFileSync(join(folder, 'exit'), 'utf8'));
      expect(end).toMatch(/^7 \S+ final\n$/);
    }
  });
});

describe('a program that a shell script starts', { timeout: 60_000 }, () => {
  it('receives the signal that stops the shell, and exits by itself', async () => {
    const command = 'trap : TERM; node server.mjs & wait; wait';
    const { id, instance } = await launch({ start: ['sh', '-c', command] });
    await serves(instance, id);
    expect(await driver.stop(instance, 20_000, soon())).toBe('graceful');
    const lines: string[] = [];
    for await (const { line } of driver.logs(instance, { tail: 50, signal: soon() })) lines.push(line);
    expect(lines).toContain('asked to end');
  });
});

describe('a program that ran before a restart of the machine', { timeout: 60_000 }, () => {
  it('counts as ended, even when other processes now have its pids, and is started again', async () => {
    const { id, instance, folder, wanted } = await launch();
    await serves(instance, id);
    const file = join(folder, 'spec.json');
    const spec = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    writeFileSync(file, JSON.stringify({ ...spec, bootId: 'another', mark: 'SIGNALBOX_INSTANCE=another' }));
    expect(await driver.state(instance, soon())).toMatchObject({ kind: 'exited', code: null });
    writeFileSync(file, JSON.stringify(spec));
    await driver.stop(instance, 5_000, soon());
    await driver.start(wanted, soon());
    await serves(instance, id);
    expect((await driver.find(id, soon())).map(({ state }) => state.kind)).toEqual(['running']);
  });
});

describe('the log of a program', { timeout: 60_000 }, () => {
  it('keeps its newest lines and never takes more than twice its size limit', async () => {
    const { id, instance, folder } = await launch();
    await serves(instance, id);
    await ask(instance, '/flood');
    const last = await eventually(
      async () => {
        const lines: string[] = [];
        for await (const { line } of driver.logs(instance, { tail: 1, signal: soon() })) lines.push(line);
        return lines[0] ?? '';
      },
      (line) => line.startsWith('30000 '),
      40_000,
    );
    expect(last).toHaveLength(1_006);
    const sizes = ['log', 'log.1'].map((name) => statSync(join(folder, name)).size);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(10 * 1024 * 1024);
    expect(existsSync(join(folder, 'log.2'))).toBe(false);
  });

  it('continues when the process that writes the log is killed, and the program keeps running', async () => {
    const { id, instance, folder } = await launch();
    await serves(instance, id);
    const keepers = [...processesWith(join(folder, 'keeper.cjs'))].filter(([, line]) => line.includes('node'));
    expect(keepers).toHaveLength(1);
    for (const [pid] of keepers) process.kill(pid, 'SIGKILL');
    await ask(instance, '/chatter');
    await eventually(
      // A keeper that was killed before it had opened the log has made none.
      async () => (existsSync(join(folder, 'log')) ? readFileSync(join(folder, 'log'), 'utf8') : ''),
      (text) => text.includes(' o line 50\n'),
    );
    await serves(instance, id);
  });
});

describe('a build', { timeout: 60_000 }, () => {
  it('sees no environment variable of the service', async () => {
    const lines: string[] = [];
    const file = { ...appFile(), build: [['env']] };
    const onLine = ({ line }: { line: string }) => void lines.push(line.split('=')[0] ?? '');
    await driver.build({ id: newRelease(), sourceDir: APP, file, onLine, signal: soon() });
    const quiet = ['PIP_DISABLE_PIP_VERSION_CHECK', 'npm_config_fund', 'npm_config_update_notifier'];
    // Certificates of the machine, where it has some.
    const trust = Object.keys(getTrustSettings());
    // NODE_OPTIONS: the part of the build's memory that Node may take.
    const own = ['CI', 'HOME', 'LANG', 'NODE_OPTIONS', 'PATH', 'SIGNALBOX_BUILD'];
    expect(lines.sort()).toEqual([...own, ...quiet, ...trust].sort());
  });

  it('fails with a clear sentence when its program does not exist, and leaves no partial artifact', async () => {
    const id = newRelease();
    const file = { ...appFile(), build: [['no-such-program']] };
    const build = driver.build({ id, sourceDir: APP, file, onLine: () => undefined, signal: soon() });
    await expect(build).rejects.toThrow(
      'The build failed: no-such-program could not be started: there is no such program.',
    );
    expect(await driver.has({ kind: 'folder', ref: `shop/staging/${id.deploymentId}` }, soon())).toBe(false);
    expect(existsSync(join(targetsDir, 'shop/staging', id.deploymentId, 'artifact'))).toBe(false);
  });

  it('stops its background processes when the build command has ended', async () => {
    const word = `7${Math.random().toString().slice(2, 12)}`;
    const file = { ...appFile(), build: [['sh', '-c', `setsid sleep ${word} > /dev/null 2>&1 & exit 0`]] };
    await driver.build({ id: newRelease(), sourceDir: APP, file, onLine: () => undefined, signal: soon() });
    expect([...processesWith(`sleep ${word}`).values()]).toEqual([]);
  });
});

describe('a rollback', { timeout: 60_000 }, () => {
  it('runs the artifact of another deployment, and the artifact can be removed only afterwards', async () => {
    const { id, instance, wanted } = await launch();
    const later = newRelease({ release: id.release });
    const again = await driver.start({ ...wanted, id: later, port: await freePort() }, soon());
    started.push(again);
    await driver.stop(instance, 5_000, soon());
    await expect(driver.discard(wanted.artifact, soon())).rejects.toMatchObject({ code: 'STILL_IN_USE' });
    // Under its own name it has built nothing: there is nothing to remove, and it goes on.
    await driver.discard({ kind: 'folder', ref: again.ref }, soon());
    await serves(again, later);
    await driver.stop(again, 5_000, soon());
    await driver.discard(wanted.artifact, soon());
    expect(await driver.find(id, soon())).toEqual([]);
    expect(readdirSync(join(targetsDir, 'shop/staging'))).toEqual(['.home']);
  });
});

describe('names', () => {
  const build = (deploymentId: string) => {
    const id = newRelease({ deploymentId });
    return driver.build({ id, sourceDir: APP, file: appFile(), onLine: () => undefined, signal: soon() });
  };

  it.each(['../up', '..', '.hidden', ''])('a deployment named %j gets no folder', async (deploymentId) => {
    await expect(build(deploymentId)).rejects.toMatchObject({ code: 'TARGET_NAME_REFUSED' });
    expect(existsSync(join(targetsDir, 'shop'))).toBe(false);
  });

  it('a slash in the name of a deployment is escaped in its folder name', async () => {
    expect(await build('a/b')).toEqual({ kind: 'folder', ref: 'shop/staging/a%2Fb' });
  });

  it.each(['../../etc', 'shop/staging', 'shop/../x', '/etc/passwd/x'])(
    'the artifact name %j is refused',
    async (ref) => {
      await expect(driver.discard({ kind: 'folder', ref }, soon())).rejects.toMatchObject({
        code: 'TARGET_NAME_REFUSED',
      });
    },
  );
});
