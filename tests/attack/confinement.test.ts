import { getSystemCode } from '@signalbox/contracts/system-error';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Driver, ProgramInstance } from '@signalbox/jobs/drivers/driver';
import { openDriver } from '@signalbox/jobs/drivers/open-driver';
import { getTrustSettings } from '@signalbox/jobs/drivers/process/commands';
import { openConfinement, type Confinement } from '@signalbox/jobs/sandbox/confinement';
import { ServiceFile } from '@signalbox/contracts/operations/deploy';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newRelease, soon } from '../contracts/driver-releases.ts';
import { COMMAND_LIMITS } from '@signalbox/jobs/sandbox/limits';
import { locateTestSandbox, openTestConfinement } from '../support/bubblewrap.ts';
import { loadTestConfig } from '../support/config.ts';
import { freePort } from '../support/free-port.ts';
import { parseAttempts, plantTargets, successes, type Targets } from '../support/hostile-release.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { eventually } from '../support/until.ts';

// A release that tries to reach our keys, sockets, processes and the files of others: as a build, and as a program.

let targets: Targets;
let confinement: Confinement;
const instances: ProgramInstance[] = [];
const MORE = ['/root', '/home', '/sys/fs/cgroup', '/var/lib'];

beforeAll(async () => {
  ({ confinement } = await openTestConfinement());
  targets = await plantTargets();
}, 60_000);
afterAll(async () => {
  for (const instance of instances) await open(confinement).then((driver) => driver.stop(instance, 0, soon()));
  targets.close();
});

const open = (by: Confinement): Promise<Driver> =>
  openDriver(
    { name: 'local', host: '127.0.0.1', driver: 'process', connection: {}, hostKey: null },
    {
      targetsDir: targets.targetsDir,
      path: loadTestConfig().path,
      baseImage: '',
      restarts: 0,
      confinement: by,
      openSecret: async () => '',
    },
  );

async function attack(by: Confinement, harmless: string, project: string) {
  const driver = await open(by);
  const id = newRelease({ project });
  const file = ServiceFile.parse({
    build: [['node', 'attempts.mjs', 'build', harmless]],
    start: ['node', 'attempts.mjs', 'program', harmless],
    memoryMb: 300,
  });
  const built: string[] = [];
  const onLine = ({ line }: { line: string }) => void built.push(line);
  const artifact = await driver.build({
    id,
    sourceDir: targets.makeSource({ folders: MORE }),
    file,
    onLine,
    signal: soon(),
  });
  const instance = await driver.start({ id, artifact, file, variables: {}, port: await freePort() }, soon());
  instances.push(instance);
  const ran = await eventually(
    async () => {
      const lines: string[] = [];
      for await (const { line } of driver.logs(instance, { tail: 1_000, signal: soon() })) lines.push(line);
      return lines;
    },
    (lines) => lines.some((line) => line.includes('"finished"')),
    40_000,
  );
  return { build: parseAttempts(built), program: parseAttempts(ran) };
}

describe('a deployed program', { timeout: 120_000 }, () => {
  it('escapes the sandbox in none of more than a hundred attempts, as a build and as a program', async () => {
    const { build, program } = await attack(confinement, 'all', 'hostile');
    for (const said of [build, program]) {
      expect(said.length).toBeGreaterThan(160);
      expect(said.at(-1)?.attempt).toBe('finished');
      expect(successes(said)).toEqual([]);
    }
    // And what it tried to change is as it was.
    targets.assertUntouched();
  });

  it('escapes in many of the attempted attacks when confinement is switched off', async () => {
    const { build, program } = await attack(
      await openConfinement({ program: null, isOff: true }),
      'harmless',
      'trusted',
    );
    for (const said of [build, program]) expect(successes(said).length).toBeGreaterThan(targets.files.length * 4);
  });

  it('is neither built nor started when it cannot be confined, and the error says what to install', async () => {
    const driver = await open(await openConfinement({ program: null }));
    const file = ServiceFile.parse({ build: [['node', 'attempts.mjs', 'build']], start: ['node', 'attempts.mjs'] });
    const id = newRelease({ project: 'refused' });
    const build = driver.build({
      id,
      sourceDir: targets.makeSource({ folders: MORE }),
      file,
      onLine: () => undefined,
      signal: soon(),
    });
    await expect(build).rejects.toMatchObject({
      code: 'CONFINEMENT_MISSING',
      message: expect.stringContaining('apt-get install bubblewrap'),
    });
  });
});

describe('a command of a workspace', { timeout: 60_000 }, () => {
  it('escapes the sandbox in none of more than a hundred attempts', async () => {
    const sandbox = await locateTestSandbox('attempts of commands');
    if (sandbox === null) return; // said aloud, and a failure in CI
    const workspace = targets.makeSource({ folders: MORE.filter((name) => name !== '/home') }); // its own home is there
    mkdirSync(join(workspace, '.git/hooks'), { recursive: true });
    writeFileSync(join(workspace, '.git/config'), '[core]\n');
    const run = await sandbox.open({ ...COMMAND_LIMITS, outputBytes: 1_000_000 });
    const ran = await run.runArgv([['node', 'attempts.mjs', 'command', 'all']], {
      workspace,
      writable: 'all',
      cwd: '.',
      deadlineMs: 50_000,
      signal: soon(),
    });
    const said = parseAttempts(ran.output.split('\n'));
    expect(said.length).toBeGreaterThan(160);
    expect(said.at(-1)?.attempt).toBe('finished');
    expect(successes(said)).toEqual([]);
    targets.assertUntouched();
  });
});

/**
 * The environments of a shim and of its children. Steps of its start end while they are read, and a sandbox that is being set up cannot
 * be looked into for a moment: then all of them are read again.
 */
function environsOf(shim: number): Promise<readonly string[]> {
  return eventually(
    () => {
      try {
        const children = readFileSync(`/proc/${shim}/task/${shim}/children`, 'utf8').trim().split(' ');
        return Promise.resolve(
          [String(shim), ...children].map((pid) => readFileSync(`/proc/${pid}/environ`, 'latin1')),
        );
      } catch (error) {
        // ESRCH: the process ended between the opening of the file and its reading.
        if (['EACCES', 'ENOENT', 'ESRCH'].includes(getSystemCode(error))) return Promise.resolve([]);
        throw error;
      }
    },
    (environs) => environs.length > 1 && environs.every((environ) => environ !== ''),
  );
}

describe('a variable of a service', { timeout: 60_000 }, () => {
  it.each(['NODE_OPTIONS', 'LD_PRELOAD', 'BASH_ENV', 'ENV', 'PATH', 'LD_AUDIT', 'GLIBC_TUNABLES', 'PYTHONSTARTUP'])(
    '%s that was stored before its name was forbidden reaches no program outside of the sandbox',
    async (name) => {
      const driver = await open(confinement);
      const source = makeTemporaryFolder('variables');
      writeFileSync(join(source, 'server.sh'), `env; cat ${targets.files[0]}; /bin/sleep 30\n`);
      const file = ServiceFile.parse({ start: ['/bin/sh', 'server.sh'] });
      const id = newRelease({ project: `variable-${name.toLowerCase()}` });
      const artifact = await driver.build({ id, sourceDir: source, file, onLine: () => undefined, signal: soon() });
      const value = `${targets.data}/workspaces/evil-${name}`;
      const instance = await driver.start(
        { id, artifact, file, variables: { [name]: value }, port: await freePort() },
        soon(),
      );
      instances.push(instance);
      const shim = Number(readFileSync(join(targets.targetsDir, instance.ref, 'instance/shim'), 'utf8').split(' ')[0]);
      const environs = await environsOf(shim);
      expect(environs.length).toBeGreaterThan(1);
      for (const environ of environs) expect(environ).not.toContain(`evil-${name}`);
    },
  );
});

it('a build sees only the variables for builds, and none of the deployed service or the job service', async () => {
  const driver = await open(confinement);
  const source = makeTemporaryFolder('build-variables');
  writeFileSync(join(source, 'server.sh'), 'sleep 30');
  const lines: string[] = [];
  const file = ServiceFile.parse({ build: [['env']], start: ['sh', 'server.sh'] });
  const onLine = ({ line }: { line: string }) => void lines.push(line);
  const id = newRelease({ project: 'build-variables' });
  await driver.build({ id, sourceDir: source, file, onLine, signal: soon() });
  const names = lines.flatMap((line) => /^([A-Za-z_]\w*)=/.exec(line)?.[1] ?? []).sort();
  const tools = ['PIP_DISABLE_PIP_VERSION_CHECK', 'npm_config_fund', 'npm_config_update_notifier'];
  // Certificates of the machine, where it has some.
  const trust = Object.keys(getTrustSettings());
  expect(names).toEqual(['CI', 'HOME', 'LANG', 'NODE_OPTIONS', 'PATH', 'SIGNALBOX_BUILD', ...tools, ...trust].sort());
}, 60_000);

describe('a link in a release', { timeout: 60_000 }, () => {
  it.each(['built.json', 'instance', 'log', '.signalbox', 'server.mjs', 'public'])(
    'named %s gives access to nothing outside of the release',
    async (name) => {
      const driver = await open(confinement);
      const source = makeTemporaryFolder('links');
      symlinkSync(targets.files[0] ?? '', join(source, name));
      const lines: string[] = [];
      const command = [
        'sh',
        '-c',
        `cat ${name}; ln -sfn ${targets.data} ${name}-made; cat ${name}-made/secrets.key; true`,
      ];
      const file = ServiceFile.parse({ build: [command], start: ['sleep', '30'] });
      const id = newRelease({ project: 'links' });
      const onLine = ({ line }: { line: string }) => void lines.push(line);
      await driver.build({ id, sourceDir: source, file, onLine, signal: soon() });
      expect(lines.join('\n')).not.toContain(targets.canary);
      expect(readFileSync(targets.files[0] ?? '', 'utf8')).toBe(targets.canary);
    },
  );
});
