import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { killGroup } from '@signalbox/contracts/process-group';
import { abortAfter } from '@signalbox/contracts/time';
import type { LogLine } from '@signalbox/contracts/operations/deploy';
import { startConfined, type ConfinedProgram } from '../../sandbox/confinement.ts';
import type { CommandResult } from '../driver.ts';
import { KeptOutput } from '../../sandbox/kept-output.ts';
import { splitLines } from '../split-lines.ts';
import { killProcesses, findProcessTree, type ProcessIdentity, type ProcessRow, readProcess } from './process-table.ts';

export interface Command {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** A `NAME=value` in the environment of all processes of the command, which identifies them. */
  readonly mark: string;
  readonly signal: AbortSignal;
  /** The program's confinement, which then sets `cwd` and `environment`. */
  readonly confined?: ConfinedProgram | null;
  /** Arguments before a confined command that limit its resources: see `buildBoundedPrefix`. */
  readonly bounded?: readonly string[];
  readonly input?: Readable;
  /** Receives stdout instead of the listener. */
  readonly output?: Writable;
}

/** Turns off package managers' notices about updates and funding, which nobody can act on in a build. */
export const QUIET_BUILD_ENV = {
  npm_config_update_notifier: 'false',
  npm_config_fund: 'false',
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
} as const;

/** The certificates that Debian and Ubuntu trust, with those that an operator added for a company's network. */
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

/** Lets package managers that bring certificates of their own trust those of this machine too. */
export function getTrustSettings(file = CERTIFICATES): Readonly<Record<string, string>> {
  return existsSync(file) ? { NODE_EXTRA_CA_CERTS: file, PIP_CERT: file } : {};
}

export interface CommandExit {
  readonly code: number | null;
  readonly by: NodeJS.Signals | null;
}

/** The time after an abort within which killed processes have to be gone. */
const AFTER_ABORT_MS = 15_000;

/** Runs a program in a new session. Settles when its background processes are gone too. Throws the signal's reason and system errors. */
export async function runStreamed(
  command: Command,
  onLine: (line: LogLine) => void,
  onStart: (leader: ProcessIdentity) => void,
): Promise<CommandExit> {
  const [out, err] = [splitLines('out', onLine), splitLines('err', onLine)];
  const outcome = await run(command, {
    onOut: (bytes) => out.write(bytes),
    onErr: (bytes) => err.write(bytes),
    onStart,
  });
  out.end();
  err.end();
  return outcome;
}

/** Runs a program to its end and keeps at most `maxBytes` of both output streams together. */
export async function runCaptured(command: Command, maxBytes: number): Promise<CommandResult> {
  const kept = new KeptOutput(maxBytes);
  const [out, err] = [kept.stream(), kept.stream()];
  const { code } = await run(command, { onOut: out.keep, onErr: err.keep, onStart: () => undefined });
  return { code, stdout: out.text(), stderr: err.text(), truncated: kept.isCut };
}

interface Listener {
  readonly onOut: (bytes: Buffer) => void;
  readonly onErr: (bytes: Buffer) => void;
  readonly onStart: (leader: ProcessIdentity) => void;
}

async function run(command: Command, { onOut, onErr, onStart }: Listener): Promise<CommandExit> {
  const { argv, cwd, environment, mark, signal, input, output, confined = null, bounded = [] } = command;
  signal.throwIfAborted();
  const stdin = input ? 'pipe' : 'ignore';
  const [program = '', ...words] = argv;
  // `stdio` makes stdout and stderr pipes.
  const child = (
    confined
      ? startConfined(confined, argv, { mark, stdin, bounded })
      : spawn(program, words, { cwd, env: environment, stdio: [stdin, 'pipe', 'pipe'], detached: true })
  ) as ChildProcess & { readonly stdout: Readable; readonly stderr: Readable };
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>; // Node documents these arguments of `exit`.
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  ended.catch(() => undefined); // The rejection is handled by the `await` below.
  const leader = child.pid === undefined ? null : readProcess(child.pid);
  if (leader) onStart(leader);
  if (input && child.stdin) {
    child.stdin.on('error', () => undefined); // A program that closes its input early has not failed.
    input.pipe(child.stdin);
  }
  if (output) child.stdout.pipe(output);
  else child.stdout.on('data', onOut);
  child.stderr.on('data', onErr);
  const find = (): readonly ProcessRow[] => findProcessTree({ mark, sessions: leader ? [leader] : [] });
  const kill = (): void => {
    if (child.exitCode === null) killGroup(child);
    // Unread output would keep `close` from being emitted.
    if (output) child.stdout.unpipe(output).resume();
  };
  signal.addEventListener('abort', kill, { once: true });
  try {
    const [code, by] = await ended;
    // A background child keeps the output open, so it is killed first.
    await killProcesses(find, abortAfter(AFTER_ABORT_MS));
    await closed;
    signal.throwIfAborted();
    return { code, by };
  } finally {
    signal.removeEventListener('abort', kill);
    await killProcesses(find, abortAfter(AFTER_ABORT_MS));
  }
}
