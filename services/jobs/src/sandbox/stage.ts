import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { sleep } from '@signalbox/contracts/time';
import { tryOr } from '@signalbox/contracts/system-error';
import { killGroup } from '@signalbox/contracts/process-group';
import type { BubblewrapProgram } from './bubblewrap.ts';

/** Number of checks whether a killed sandbox is gone, since the kernel takes a moment. */
const GONE_ATTEMPTS = 400;
const GONE_PAUSE_MS = 10;
const KILLED = 137;

/** Starts a command in its own sandbox, held until `release`. The command gets none of this process's environment. */
export function startPipelineStage(program: BubblewrapProgram, words: readonly string[], filter: Buffer) {
  const child = spawn(program.file, [...words], {
    env: program.libraryPath === null ? {} : { LD_LIBRARY_PATH: program.libraryPath },
    cwd: '/',
    detached: true, // The command gets a process group of its own, which `kill` ends when the first process is unknown.
    stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
  });
  // `stdio` makes all six streams pipes. The last three are INFO_FD, BLOCK_FD and FILTER_FD.
  const pipes = child.stdio as unknown as [Writable, Readable, Readable, Readable, Writable, Writable];
  const [stdin, stdout, stderr, info, block, filtering] = pipes;
  for (const stream of [stdin, info, block, filtering]) stream.on('error', () => undefined); // The reader of the stream has ended; `ended` reports that.
  filtering.end(filter);
  const first = readFirstProcess(info);
  const kill = (): void => {
    // Killing the first process lets bubblewrap reap it, so that no zombie remains.
    const killAll = (): void => void (child.exitCode === null && killGroup(child));
    void first.then((pid) => (pid === null ? killAll() : process.kill(pid, 'SIGKILL'))).catch(killAll);
  };
  const ended = waitForEnd(child, first);
  ended.catch(() => undefined); // The caller may await `ended` later.
  return {
    stdin,
    stdout,
    stderr,
    /** Host pid of the sandbox's first process, whose end ends all other processes; null when none started. */
    first,
    release: (): void => void block.end('\n'),
    kill,
    /** Exit code after all output was read and the sandbox is gone; 128 + n for signal n. */
    ended,
  };
}

export type PipelineStage = ReturnType<typeof startPipelineStage>;

/** Counts the processes in the sandbox; 0 when it is gone, still starting, or unreadable. */
export function countProcesses(first: number): number {
  const seesOurs = tryOr(() => statSync(`/proc/${first}/root`).dev === statSync('/').dev, true);
  if (seesOurs) return 0;
  return tryOr(() => readdirSync(`/proc/${first}/root/proc`), []).filter((name) => /^\d+$/.test(name)).length;
}

async function waitForEnd(child: ChildProcess, first: Promise<number | null>): Promise<number> {
  const failed = new Promise<never>((_, reject) => child.once('error', reject)); // `error` means that the process did not start.
  failed.catch(() => undefined); // `Promise.race` throws the error.
  const [code] = (await Promise.race([once(child, 'close'), failed])) as [number | null];
  const pid = await first;
  for (let tryOr = 0; pid !== null && !isGone(pid); tryOr += 1) {
    if (tryOr === GONE_ATTEMPTS) throw new Error(`process ${pid} of a sandbox does not end`);
    await sleep(GONE_PAUSE_MS);
  }
  return code ?? KILLED;
}

async function readFirstProcess(info: Readable): Promise<number | null> {
  let text = '';
  try {
    for await (const chunk of info) {
      text += String(chunk);
      if (text.includes('}')) break;
    }
  } catch {
    return null;
  }
  return Number(/"child-pid":\s*(\d+)/.exec(text)?.[1] ?? 0) || null;
}

function isGone(pid: number): boolean {
  const stat = tryOr(() => readFileSync(`/proc/${pid}/stat`, 'utf8'), ') X');
  return /^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
}
