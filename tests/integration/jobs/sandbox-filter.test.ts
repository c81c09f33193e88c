import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createBubblewrapArguments } from '@signalbox/jobs/sandbox/bubblewrap';
import { COMMAND_LIMITS } from '@signalbox/jobs/sandbox/limits';
import { openSandbox, type SandboxResult, type Sandbox } from '@signalbox/jobs/sandbox/sandbox';
import { CHECKED_CALLS, getCallNumber, REFUSED_CALLS, type Architecture } from '@signalbox/jobs/sandbox/system-calls';
import { beforeAll, describe, expect, it } from 'vitest';
import { locateTestSandbox } from '../../support/bubblewrap.ts';
import { loadTestConfig } from '../../support/config.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

const found = await locateTestSandbox('the filter of system calls');
const architecture = process.arch as Architecture; // there is no sandbox elsewhere

const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

/** One call to try: what it is called, its number, its arguments. */
type Try = readonly [name: string, number: number, ...rest: readonly number[]];

/** Makes each call in a process of its own, and prints what came of it: `name errno`, 0 when it was done. Perl is part of every Debian. */
const PERL = `
$| = 1;
for my $try (@ARGV) {
  my ($name, $number, @rest) = split /,/, $try;
  $! = 0;
  my $answer = syscall($number + 0, map { $_ + 0 } @rest);
  my $error = $answer == -1 ? $! + 0 : 0;
  exit 0 if $answer == 0 && $name =~ /^clone/;
  print "$name $error\\n";
}`;

const asWords = (tries: readonly Try[]): readonly string[] => [
  'perl',
  '-e',
  PERL,
  ...tries.map((one) => one.join(',')),
];
const read = (output: string): ReadonlyMap<string, number> =>
  new Map(
    output
      .trim()
      .split('\n')
      .map((line) => [line.split(' ')[0] ?? '', Number(line.split(' ')[1])]),
  );

const refused: readonly Try[] = Object.entries(REFUSED_CALLS).flatMap(([name, numbers]) => {
  const number = getCallNumber(numbers, architecture);
  return number === null ? [] : [[name, number, 0, 0, 0, 0, 0] as const];
});
const look = (name: keyof typeof CHECKED_CALLS, as: string, ...rest: readonly number[]): readonly Try[] => {
  const number = getCallNumber(CHECKED_CALLS[name], architecture);
  return number === null ? [] : [[as, number, ...rest] as const];
};

describe.skipIf(found === null)('in the sandbox', () => {
  let sandbox: Sandbox;
  let workspace: string;
  beforeAll(async () => {
    if (found === null) throw new Error('there is no sandbox');
    sandbox = await found.open(COMMAND_LIMITS);
    workspace = join(makeTemporaryFolder('sandbox-filter'), 'workspace');
    mkdirSync(join(workspace, '.git/hooks'), { recursive: true });
    execFileSync('git', ['init', '-q', workspace]);
    writeFileSync(join(workspace, 'a.txt'), 'one\n');
  });
  const room = { writable: 'all' as const, cwd: '.' };
  const options = () => ({ ...room, workspace, deadlineMs: 60_000, signal: new AbortController().signal });
  const shell = (script: string): Promise<SandboxResult> => sandbox.runShell(script, options());
  const attempt = async (tries: readonly Try[]): Promise<ReadonlyMap<string, number>> =>
    read((await sandbox.runArgv([asWords(tries)], options())).output);

  /** The same command in the same sandbox, only that its calls are not filtered: what the sandbox would be without. */
  function attemptUnfiltered(tries: readonly Try[]): ReadonlyMap<string, number> {
    const words = createBubblewrapArguments(
      { ...room, workspace, limits: COMMAND_LIMITS, cpuSeconds: 60 },
      asWords(tries),
    );
    const isOurs = (word: string | undefined): boolean => /^--(?:info-fd|block-fd|seccomp)$/.test(word ?? '');
    const plain = words.filter((word, place) => !isOurs(word) && !isOurs(words[place - 1]));
    const { BWRAP_PATH: file = 'bwrap', BWRAP_LIBRARY_PATH: libraries } = found?.settings ?? {};
    const env = { PATH: loadTestConfig().path, ...(libraries === undefined ? {} : { LD_LIBRARY_PATH: libraries }) };
    return read(spawnSync(file, plain, { env, encoding: 'utf8' }).stdout);
  }

  it('every system call that a command does not need is refused', async () => {
    const expected = new Map(refused.map(([name]) => [name, EPERM]));
    expect(expected.size).toBeGreaterThan(55);
    expect(await attempt(refused)).toEqual(expected);
    // Without the filter, many of them come through to the kernel, which refuses for other reasons or not at all.
    const unfiltered = attemptUnfiltered(refused);
    for (const name of ['ptrace', 'process_vm_readv', 'unshare', 'add_key', 'name_to_handle_at', 'mbind'])
      expect([name, unfiltered.get(name)]).not.toEqual([name, EPERM]);
  });

  it('forbidden arguments of allowed system calls are refused', async () => {
    const tries = [
      ...look('clone', 'clone-user', 0x1000_0011, 0, 0, 0, 0),
      ...look('clone', 'clone-mount', 0x0002_0011, 0, 0, 0, 0),
      ...look('clone3', 'clone3', 0, 0),
      ...look('openat2', 'openat2', 0, 0, 0, 0),
      ...look('ioctl', 'type', 0, 0x5412, 0),
      ...look('ioctl', 'type-wide', 0, 2 ** 32 + 0x5412, 0),
      ...look('personality', 'weaken', 0x004_0000),
      ...look('personality', 'ask', 0xffff_ffff),
      ...look('socket', 'alg', 38, 5, 0),
      ...look('socket', 'vsock', 40, 1, 0),
      ...look('socket', 'unix', 1, 1, 0),
      ...look('fchmod', 'set-id', 0, 0o4755),
      ['future', 999, 0] as const,
      ['x32', 0x4000_0000 + 39] as const,
    ];
    const expected = {
      'clone-user': EPERM,
      'clone-mount': EPERM,
      clone3: ENOSYS,
      openat2: ENOSYS,
      type: EPERM,
      'type-wide': EPERM,
      weaken: EPERM,
      ask: 0,
      alg: EAFNOSUPPORT,
      vsock: EAFNOSUPPORT,
      unix: 0,
      'set-id': EPERM,
      future: ENOSYS,
      x32: EPERM,
    };
    expect(Object.fromEntries(await attempt(tries))).toEqual(expected);
    const unfiltered = attemptUnfiltered(tries.filter(([name]) => !name.startsWith('clone-')));
    for (const name of ['clone3', 'openat2', 'type', 'weaken', 'x32'] as const)
      expect([name, unfiltered.get(name)]).not.toEqual([name, expected[name]]);
  });

  it('a program cannot create a setuid file', async () => {
    const ran = await shell(
      'cp /bin/true mine && chmod 4755 mine; chmod g+s mine; chmod 755 mine && ./mine && echo well',
    );
    expect(ran.output.match(/Operation not permitted/g)).toHaveLength(2);
    expect(ran.output).toMatch(/well\n$/);
    expect(statSync(join(workspace, 'mine')).mode & 0o7777).toBe(0o755);
    // Nor by way of the mode with which a file is made.
    const made = await sandbox.runArgv(
      [['perl', '-e', 'use Fcntl; umask 0; print sysopen(my $f, "made", O_CREAT|O_WRONLY, 04755) ? "made" : "no: $!"']],
      options(),
    );
    expect(made.output).toBe('no: Operation not permitted');
  });

  it.skipIf(architecture !== 'x64')(
    'a program that uses the system calls of another architecture is killed',
    async () => {
      writeFileSync(join(workspace, 'old'), tinyProgram('b814000000cd80' + '31ffb83c0000000f05'), { mode: 0o755 }); // int 0x80; exit(0)
      expect(await shell('./old')).toMatchObject({ exitCode: 128 + 31 }); // SIGSYS; without the filter 0, or SIGSEGV
      writeFileSync(join(workspace, 'new'), tinyProgram('31ffb83c0000000f05'), { mode: 0o755 });
      expect(await shell('./new')).toMatchObject({ exitCode: 0 });
    },
  );

  it('git, node, npm and pipelines run successfully', async () => {
    const node = bringNode(workspace);
    const git = 'git -c user.name=a -c user.email=a@b.c';
    expect(await shell(`git add a.txt && ${git} commit -qm one && git log --format=%s | tr a-z A-Z`)).toMatchObject({
      exitCode: 0,
      output: 'ONE\n',
    });
    writeFileSync(
      join(workspace, 'work.mjs'),
      `import { spawnSync } from 'node:child_process';
       import { Worker, isMainThread } from 'node:worker_threads';
       import { networkInterfaces } from 'node:os';
       import { test } from 'node:test';
       import assert from 'node:assert';
       import { readFile } from 'node:fs/promises';
       test('a file is read', async () => assert.equal(await readFile('a.txt', 'utf8'), 'one\\n'));
       test('a child is started', () => assert.equal(spawnSync('/bin/echo', ['x'], { encoding: 'utf8' }).stdout, 'x\\n'));
       test('a thread is started', () => new Promise((done) => new Worker('', { eval: true }).once('exit', done)));
       test('interfaces are listed', () => void networkInterfaces());`,
    );
    writeFileSync(join(workspace, 'package.json'), JSON.stringify({ scripts: { test: 'node --test work.mjs | cat' } }));
    const tested = await shell(`PATH=${node.folder}:$PATH; node ${node.npm} test && echo well`);
    expect(tested.output).toMatch(/pass 4\n[\s\S]*fail 0\n[\s\S]*well\n$/);
    const sorted = await shell(
      'seq 1 2000 | sort -rn | head -n 3 | while read n; do echo $((n + 1)); done; (sleep 0.1 & wait)',
    );
    expect(sorted).toMatchObject({ exitCode: 0, output: '2001\n2000\n1999\n' });
  });
});

it('the sandbox refuses to run on an architecture whose system calls it does not know', async () => {
  const marker = join(makeTemporaryFolder('unknown-machine'), 'bwrap');
  writeFileSync(marker, '#!/bin/sh\ntouch "$0.started"\n', { mode: 0o755 });
  const sandbox = await openSandbox({ program: { file: marker, libraryPath: null }, architecture: 's390x' });
  expect(sandbox.problem).toBe('no filter of system calls is known for s390x');
  expect(existsSync(`${marker}.started`)).toBe(false);
});

/** Where node and npm are for the sandbox, which sees nothing but /usr and the workspace. */
function bringNode(workspace: string): { readonly folder: string; readonly npm: string } {
  const own = join(dirname(process.execPath), '../lib/node_modules/npm');
  if (process.execPath.startsWith('/usr/') && own.startsWith('/usr/'))
    return { folder: dirname(process.execPath), npm: join(own, 'bin/npm-cli.js') };
  cpSync(process.execPath, join(workspace, 'bin/node'), { dereference: true });
  cpSync(own, join(workspace, 'npm'), { recursive: true });
  return { folder: '/workspace/bin', npm: '/workspace/npm/bin/npm-cli.js' };
}

/** A program for x64 of nothing but these instructions. */
function tinyProgram(code: string): Buffer {
  const bytes = Buffer.concat([Buffer.alloc(120), Buffer.from(code, 'hex')]);
  bytes.write('7f454c46020101', 0, 'hex'); // ELF, 64 bit, little-endian
  for (const [at, value] of [
    [16, 2],
    [18, 62],
    [20, 1],
    [52, 64],
    [54, 56],
    [56, 1],
    [64, 1],
    [68, 5],
  ] as const)
    bytes.writeUInt16LE(value, at); // executable, x86-64, sizes of the headers, one segment that is loaded to be run
  const start = 0x40_0000n;
  for (const [at, value] of [
    [24, start + 120n],
    [32, 64n],
    [80, start],
    [88, start],
    [96, BigInt(bytes.length)],
    [104, BigInt(bytes.length)],
    [112, 0x1000n],
  ] as const)
    bytes.writeBigUInt64LE(value, at);
  return bytes;
}
