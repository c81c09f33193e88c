import { spawn, type ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Driver, Instance } from '@signalbox/jobs/drivers/driver';
import { openDriver } from '@signalbox/jobs/drivers/open-driver';
import { openConfinement, type Confinement } from '@signalbox/jobs/sandbox/confinement';
import { ServiceFile } from '@signalbox/shared/contracts/deploy';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newRelease, soon } from '../contracts/drivers.ts';
import { openTestConfinement } from '../support/bubblewrap.ts';
import { loadTestConfig } from '../support/config.ts';
import { freePort } from '../support/free-port.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { eventually } from '../support/until.ts';

// A release that tries to reach our keys, sockets, processes and the files of others: as a build, and as a program.

const HOSTILE = fileURLToPath(new URL('../fixtures/hostile-release/attempts.mjs', import.meta.url));
const CANARY = `canary-${Math.random().toString(36).slice(2)}`;
interface Said {
  readonly attempt: string;
  readonly got: string | null;
}

const folder = makeTemporaryFolder('confinement');
const data = join(folder, 'data');
const targetsDir = join(data, 'targets');
const KEYS = [
  'secrets.key',
  'signing-key.pem',
  'telegram.token',
  'run.json',
  'postgres/base.db',
  'redis/dump.rdb',
  'workspaces/notes.txt',
];
const OTHERS = ['act_1/artifact/config.json', 'act_1/instance/spec.json', 'act_1/instance/log', '.home/cache.json'];
const socketFile = join(makeTemporaryFolder('s'), 'admin.sock');
const instances: Instance[] = [];
let victim: ChildProcess;
let admin: Server;
let confinement: Confinement;
let files: readonly string[];

beforeAll(async () => {
  ({ confinement } = await openTestConfinement());
  const others = OTHERS.map((name) => join(targetsDir, 'other/staging', name));
  files = [...KEYS.map((name) => join(data, name)), ...others];
  for (const file of files) {
    mkdirSync(dirname(file), { recursive: true });
    // Readable by all: the file's own rights are not what holds.
    writeFileSync(file, CANARY, { mode: 0o644 });
  }
  victim = spawn('sleep', ['600'], { env: { SECRETS_KEY: CANARY }, stdio: 'ignore' });
  admin = createServer().listen(socketFile);
}, 60_000);
afterAll(async () => {
  for (const instance of instances) await open(confinement).then((driver) => driver.stop(instance, 0, soon()));
  victim.kill('SIGKILL');
  admin.close();
});

const open = (by: Confinement): Promise<Driver> =>
  openDriver(
    { name: 'local', host: '127.0.0.1', driver: 'process', connection: {}, hostKey: null },
    {
      targetsDir,
      path: loadTestConfig().path,
      baseImage: '',
      restarts: 0,
      confinement: by,
      openSecret: async () => '',
    },
  );

function makeSource(): string {
  const source = makeTemporaryFolder('hostile');
  cpSync(HOSTILE, join(source, 'attempts.mjs'));
  const more = ['/etc/shadow', '/root/.bash_history', join(process.cwd(), 'package.json')];
  const folders = [
    data,
    targetsDir,
    folder,
    '/root',
    '/home',
    '/sys/fs/cgroup',
    '/var/lib',
    process.cwd(),
    dirname(socketFile),
  ];
  const targets = { files: [...files, ...more], folders, sockets: [socketFile, '/var/run/docker.sock'], abstracts: [] };
  const facts = { ...targets, victim: victim.pid, canary: CANARY, marker: 'planted' };
  writeFileSync(join(source, 'targets.json'), JSON.stringify(facts));
  return source;
}

const parse = (lines: readonly string[]): readonly Said[] =>
  lines.filter((line) => line.startsWith('attempt ')).map((line) => JSON.parse(line.slice(8)) as Said);

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
  const artifact = await driver.build({ id, sourceDir: makeSource(), file, onLine, signal: soon() });
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
  return { build: parse(built), program: parse(ran) };
}

describe('what is deployed', { timeout: 120_000 }, () => {
  it('gets nothing by any of more than a hundred attempts, as a build and as a program', async () => {
    const { build, program } = await attack(confinement, 'all', 'hostile');
    for (const said of [build, program]) {
      expect(said.length).toBeGreaterThan(160);
      expect(said.at(-1)?.attempt).toBe('finished');
      expect(said.filter(({ got }) => got !== null)).toEqual([]);
    }
    // And what it tried to change is as it was.
    expect(victim.exitCode ?? victim.signalCode).toBeNull();
    for (const file of files) expect(readFileSync(file, 'utf8')).toBe(CANARY);
    expect(readFileSync('/proc/sys/kernel/core_pattern', 'utf8')).not.toContain('planted');
  });

  it('gets much of it where confinement is turned off, so the attempts can succeed', async () => {
    const { build, program } = await attack(
      await openConfinement({ program: null, isOff: true }),
      'harmless',
      'trusted',
    );
    for (const said of [build, program])
      expect(said.filter(({ got }) => got !== null).length).toBeGreaterThan(files.length * 4);
  });

  it('runs neither unconfined where it cannot be confined, and says what to install', async () => {
    const driver = await open(await openConfinement({ program: null }));
    const file = ServiceFile.parse({ build: [['node', 'attempts.mjs', 'build']], start: ['node', 'attempts.mjs'] });
    const id = newRelease({ project: 'refused' });
    const build = driver.build({ id, sourceDir: makeSource(), file, onLine: () => undefined, signal: soon() });
    await expect(build).rejects.toMatchObject({
      code: 'CONFINEMENT_MISSING',
      message: expect.stringContaining('apt-get install bubblewrap'),
    });
  });
});

describe('a variable of a service', { timeout: 60_000 }, () => {
  it.each(['NODE_OPTIONS', 'LD_PRELOAD', 'BASH_ENV', 'ENV', 'PATH', 'LD_AUDIT', 'GLIBC_TUNABLES', 'PYTHONSTARTUP'])(
    '%s that got there all the same reaches no program outside of the sandbox',
    async (name) => {
      const driver = await open(confinement);
      const source = makeTemporaryFolder('variables');
      writeFileSync(join(source, 'server.sh'), `env; cat ${files[0]}; sleep 30\n`);
      const file = ServiceFile.parse({ start: ['/bin/sh', 'server.sh'] });
      const id = newRelease({ project: `variable-${name.toLowerCase()}` });
      const artifact = await driver.build({ id, sourceDir: source, file, onLine: () => undefined, signal: soon() });
      const value = `${data}/workspaces/evil-${name}`;
      const instance = await driver.start(
        { id, artifact, file, variables: { [name]: value }, port: await freePort() },
        soon(),
      );
      instances.push(instance);
      const shim = Number(readFileSync(join(targetsDir, instance.ref, 'instance/shim'), 'utf8').split(' ')[0]);
      const children = readFileSync(`/proc/${shim}/task/${shim}/children`, 'utf8').trim().split(' ');
      for (const pid of [String(shim), ...children])
        expect(readFileSync(`/proc/${pid}/environ`, 'latin1')).not.toContain(`evil-${name}`);
    },
  );
});

describe('a link in a release', { timeout: 60_000 }, () => {
  it.each(['built.json', 'instance', 'log', '.signalbox', 'server.mjs', 'public'])(
    'named %s leads its readers to nothing outside',
    async (name) => {
      const driver = await open(confinement);
      const source = makeTemporaryFolder('links');
      symlinkSync(files[0] ?? '', join(source, name));
      const lines: string[] = [];
      const command = ['sh', '-c', `cat ${name}; ln -sfn ${data} ${name}-made; cat ${name}-made/secrets.key; true`];
      const file = ServiceFile.parse({ build: [command], start: ['sleep', '30'] });
      const id = newRelease({ project: 'links' });
      const onLine = ({ line }: { line: string }) => void lines.push(line);
      await driver.build({ id, sourceDir: source, file, onLine, signal: soon() });
      expect(lines.join('\n')).not.toContain(CANARY);
      expect(readFileSync(files[0] ?? '', 'utf8')).toBe(CANARY);
    },
  );
});
