import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identifyProcess, waitForExit } from '@signalbox/local/supervisor/process-identity';
import { until } from '../support/until.ts';
import { mustRun, runProgram } from './program.ts';

/** A container engine: the machine's own, or one that this run started. */
export interface Engine {
  /** Path of its socket. */
  readonly socket: string;
  readonly docker: (words: readonly string[], timeoutMs?: number) => Promise<string>;
  /** Ends what `openEngine` started, with everything that it mounted. */
  readonly close: () => Promise<void>;
}

/** Loopback only: containers use the host's network, so the engine needs neither a bridge to the outside nor iptables. */
const SETTINGS = ['--iptables=false', '--ip6tables=false', '--ip-forward=false', '--bip=172.30.0.1/24'];

/** Connects to the engine that runs here, or starts one. Answers why not when neither works. */
export async function openEngine(): Promise<Engine | { readonly problem: string }> {
  if (process.platform !== 'linux')
    return { problem: "the base image is made of this machine's programs, which takes Linux" };
  const running = await runProgram('docker', ['version']);
  if (running.code === 0)
    return { socket: '/var/run/docker.sock', docker: connect(null), close: async () => undefined };
  if (process.getuid?.() !== 0) return { problem: 'no engine runs here, and only root can start one' };
  if ((await runProgram('dockerd', ['--version'])).code !== 0) return { problem: 'dockerd is not installed' };
  return startEngine();
}

/** Starts an engine of its own; `inside` are words that enter the namespaces which it is to run in. */
export async function startEngine(inside: readonly string[] = []): Promise<Engine | { readonly problem: string }> {
  const dir = mkdtempSync(join(tmpdir(), 'signalbox-engine-'));
  const socket = `unix://${join(dir, 'docker.sock')}`;
  const places = [
    '--data-root',
    join(dir, 'data'),
    '--exec-root',
    join(dir, 'exec'),
    '-p',
    join(dir, 'pid'),
    '-H',
    socket,
  ];
  const log = openSync(join(dir, 'log'), 'w');
  const [program = '', ...words] = [...inside, 'dockerd', ...places, ...SETTINGS];
  const child = spawn(program, words, { stdio: ['ignore', log, log] });
  closeSync(log);
  const identity = child.pid === undefined ? null : identifyProcess(child.pid);
  const close = async (): Promise<void> => {
    child.kill('SIGTERM');
    if (identity) await waitForExit(identity, 30_000);
    await unmount(dir);
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    await until(async () => {
      if (child.exitCode !== null) throw new Error('dockerd ended');
      return (await runProgram('docker', ['-H', socket, 'info'])).code === 0;
    }, 60_000);
    return { socket: join(dir, 'docker.sock'), docker: connect(socket), close };
  } catch {
    const problem = `dockerd does not start: ${readFileSync(join(dir, 'log'), 'utf8').trim().split('\n').at(-1)}`;
    await close();
    return { problem };
  }
}

/** Images are built without BuildKit: Debian's engine has no buildx. */
function connect(socket: string | null): Engine['docker'] {
  const host = socket === null ? [] : ['-H', socket];
  const env = { ...inherited(), DOCKER_BUILDKIT: '0' };
  return (words, timeoutMs = 120_000) => mustRun('docker', [...host, ...words], { env, timeoutMs });
}

/** A stopped engine leaves a network namespace mounted, and sometimes a layer. */
async function unmount(dir: string): Promise<void> {
  const mounted = existsSync('/proc/mounts') ? readFileSync('/proc/mounts', 'utf8').split('\n') : [];
  const places = mounted.map((line) => line.split(' ')[1] ?? '').filter((place) => place.startsWith(dir));
  for (const place of places.toReversed()) await runProgram('umount', ['-l', place]);
}

function inherited(): Record<string, string> {
  return { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root' };
}
