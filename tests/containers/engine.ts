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
  /** This machine's address on the engine's bridge. */
  readonly gateway: string;
  /** Ends what `openEngine` started, with everything that it mounted. */
  readonly close: () => Promise<void>;
}

/** Loopback only: nothing of a container leaves the machine, so the engine needs neither iptables nor forwarding. */
const SETTINGS = ['--iptables=false', '--ip6tables=false', '--ip-forward=false'];
/** Where Docker puts the bridge of an engine that it has configured itself. */
const DEFAULT_GATEWAY = '172.17.0.1';

/** Connects to the engine that runs here, or starts one. Answers why not when neither works. */
export async function openEngine(): Promise<Engine | { readonly problem: string }> {
  if (process.platform !== 'linux')
    return { problem: "the base image is made of this machine's programs, which takes Linux" };
  const running = await runProgram('docker', ['version']);
  if (running.code === 0)
    return {
      socket: '/var/run/docker.sock',
      docker: connect(null),
      gateway: DEFAULT_GATEWAY,
      close: async () => undefined,
    };
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
  const bridge = await addBridge(inside);
  const [program, ...words] = [...inside, 'dockerd', ...places, ...SETTINGS, '--bridge', bridge.name];
  const child = spawn(program, words, { stdio: ['ignore', log, log] });
  closeSync(log);
  const identity = child.pid === undefined ? null : identifyProcess(child.pid);
  const close = async (): Promise<void> => {
    child.kill('SIGTERM');
    if (identity) await waitForExit(identity, 30_000);
    await unmount(dir);
    await bridge.remove();
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    await until(async () => {
      if (child.exitCode !== null) throw new Error('dockerd ended');
      return (await runProgram('docker', ['-H', socket, 'info'])).code === 0;
    }, 60_000);
    return { socket: join(dir, 'docker.sock'), docker: connect(socket), gateway: bridge.gateway, close };
  } catch {
    const problem = `dockerd does not start: ${readFileSync(join(dir, 'log'), 'utf8').trim().split('\n').at(-1)}`;
    await close();
    return { problem };
  }
}

/**
 * Makes a bridge for one engine, with a subnet that no interface has. The containers of an engine that was killed stay on its
 * bridge and answer to their addresses for as long as the machine runs, so the next engine must not use either again.
 */
async function addBridge(inside: readonly string[]) {
  const run = (...words: readonly string[]): Promise<string> => {
    const [program = '', ...rest] = [...inside, 'ip', ...words];
    return mustRun(program, rest);
  };
  const addresses = await run('-4', '-o', 'address');
  const free = Array.from({ length: 255 }, (_, number) => number).filter((n) => !addresses.includes(`172.30.${n}.`));
  const number = free[Math.floor(Math.random() * free.length)];
  if (number === undefined)
    throw new Error('every subnet of 172.30.0.0/16 is taken: remove the bridges of ended engines');
  const [name, gateway] = [`signalbox${number}`, `172.30.${number}.1`];
  await run('link', 'add', name, 'type', 'bridge');
  await run('address', 'add', `${gateway}/24`, 'dev', name);
  await run('link', 'set', name, 'up');
  return { name, gateway, remove: () => run('link', 'delete', name) };
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
