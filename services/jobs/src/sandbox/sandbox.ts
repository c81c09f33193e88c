import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { AppError } from '@signalbox/contracts/errors';
import { abortAfter, sleep } from '@signalbox/contracts/time';
import { tryOr } from '@signalbox/contracts/system-error';
import { newId } from '@signalbox/contracts/ids';
import { MIB } from '@signalbox/contracts/size';
import { createBubblewrapArguments, type BubblewrapProgram, type SandboxSpec } from './bubblewrap.ts';
import { KeptOutput } from './kept-output.ts';
import { COMMAND_LIMITS, type CommandLimits } from './limits.ts';
import { countProcesses, startPipelineStage, type PipelineStage } from './stage.ts';
import { compileFilter } from './system-call-filter.ts';
import { wasKilledForMemory, listGroupParents, makeGroup, removeGroup } from './cgroup.ts';

const OF_SANDBOX = 'signalbox-';
/** The kernel frees a group a moment after its processes have ended. */
const REMOVE_ATTEMPTS = 40;

/** Reasons for killing a command from outside. */
export type KillReason = 'deadline' | 'memory' | 'processes' | 'workspace' | 'disk';

export interface SandboxResult {
  /** Exit code of the pipeline's last command; 128 + n after signal n. */
  readonly exitCode: number;
  /** Why the command was killed; null when it exited by itself. */
  readonly killed: KillReason | null;
  readonly output: string;
  /** True when output was dropped. */
  readonly cut: boolean;
  readonly durationMs: number;
}

export type CommandFolders = Pick<
  SandboxSpec,
  'workspace' | 'writable' | 'cwd' | 'hasRepository' | 'programs' | 'variables' | 'door'
>;

export interface RunOptions extends CommandFolders {
  /** Running processes are killed after this time, and the result says so. */
  readonly deadlineMs: number;
  /** Aborts all processes at once; the promise rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** Maximum file size, when below the general limit. */
  readonly fileBytes?: number;
  /** Watches the command's disk use. Resolves to the reason for killing the command, or null once the signal aborts. */
  readonly watch?: (signal: AbortSignal) => Promise<KillReason | null>;
}

export interface Sandbox {
  /** Sentence that explains why nothing can run here; null when commands can run. */
  readonly problem: string | null;
  /** How memory and processes are limited here, for the log. */
  readonly bounds: 'control group' | 'each process';
  /** Runs commands joined by pipes, without a shell. Throws SANDBOX_MISSING before anything has run. */
  runArgv(pipeline: readonly (readonly string[])[], options: RunOptions): Promise<SandboxResult>;
  /** Runs a script with /bin/sh. Throws SANDBOX_MISSING before anything has run. */
  runShell(script: string, options: RunOptions): Promise<SandboxResult>;
}

/** Commands run unasked, so they yield the processor to the services of their machine. */
const NICENESS = 10;
const SELF_TEST_MS = 20_000;
const COUNT_MS = 50;

/** Opens the sandbox and tests it; after a failed test every run is refused. Each command of a pipeline has its own sandbox. */
export async function openSandbox(options: {
  readonly program: BubblewrapProgram | null;
  readonly limits?: CommandLimits;
  readonly architecture?: string;
}): Promise<Sandbox> {
  const { program, limits = COMMAND_LIMITS, architecture = process.arch } = options;
  sweepControlGroups();
  const group = createControlGroup(limits);
  await group?.remove();
  const filter = compileFilter(architecture);
  const cell = program === null || filter === null ? null : { program, filter, limits };
  const missing =
    program === null ? 'bubblewrap is not installed' : `no filter of system calls is known for ${architecture}`;
  const problem = cell === null ? missing : await tryOut(cell);
  const run = (pipeline: readonly (readonly string[])[], given: RunOptions): Promise<SandboxResult> => {
    if (cell === null || problem !== null) throw new AppError('SANDBOX_MISSING', { reason: problem ?? '' });
    return runPipeline(cell, pipeline, given);
  };
  return {
    problem,
    bounds: group === null ? 'each process' : 'control group',
    runArgv: async (pipeline, given) => run(pipeline, given),
    runShell: async (script, given) => run([['/bin/sh', '-c', script]], given),
  };
}

interface Cell {
  readonly program: BubblewrapProgram;
  readonly filter: Buffer;
  readonly limits: CommandLimits;
}

async function tryOut(cell: Cell): Promise<string | null> {
  const signal = abortAfter(SELF_TEST_MS);
  const room = { workspace: null, writable: [], cwd: '.', deadlineMs: SELF_TEST_MS, signal };
  try {
    // A trial run: bubblewrap fails where the kernel refuses the filter.
    const ran = await runPipeline(cell, [['/bin/true']], room);
    return ran.exitCode === 0
      ? null
      : `bubblewrap does not work here: ${firstLine(ran.output) || `exit code ${ran.exitCode}`}`;
  } catch (error) {
    if (error instanceof AppError && error.code === 'SANDBOX_MISSING') return error.message;
    return `bubblewrap cannot be started: ${error instanceof Error ? firstLine(error.message) : String(error)}`;
  }
}

async function runPipeline(
  { program, filter, limits }: Cell,
  pipeline: readonly (readonly string[])[],
  options: RunOptions,
): Promise<SandboxResult> {
  options.signal.throwIfAborted();
  const startedAt = performance.now();
  const fileBytes = Math.min(limits.fileBytes, options.fileBytes ?? limits.fileBytes);
  const room: SandboxSpec = {
    ...options,
    limits: { ...limits, fileBytes },
    cpuSeconds: Math.ceil(options.deadlineMs / 1_000),
  };
  const stages = pipeline.map((argv) => startPipelineStage(program, createBubblewrapArguments(room, argv), filter));
  const kept = new KeptOutput(limits.outputBytes);
  const written = kept.stream();
  connect(stages, (stream) => {
    stream.on('error', () => undefined); // The stream of a killed process may fail; the process itself reports its end.
    stream.on('data', written.keep);
  });

  let killed: KillReason | null = null;
  const kill = (why: KillReason | null): void => {
    killed ??= why;
    for (const stage of stages) stage.kill();
  };
  const onAbort = (): void => kill(null);
  const deadline = setTimeout(() => kill('deadline'), options.deadlineMs);
  options.signal.addEventListener('abort', onAbort, { once: true });
  const over = new AbortController();
  const group = createControlGroup(limits);
  try {
    const firsts = await Promise.all(stages.map((stage) => stage.first));
    const alive = firsts.filter((first) => first !== null);
    // A stage that has exited has run nothing, so an error is ignored.
    for (const first of alive) tryOr(() => group?.add(first), undefined);
    for (const first of alive) tryOr(() => setPriority(first, NICENESS), undefined);
    // Without control groups the kernel counts the processes of a sandbox only for users other than root.
    const isUncounted = group === null && process.getuid?.() === 0;
    const counting = isUncounted ? countUntil(over.signal, alive, limits, () => kill('processes')) : null;
    const watching = options.watch?.(over.signal).then((why) => (why === null ? undefined : kill(why)));
    watching?.catch(() => kill(null)); // No command may run without the watch. `Promise.all` below throws the error.
    for (const stage of stages) stage.release();
    const codes = await Promise.all(stages.map((stage) => stage.ended));
    over.abort();
    await Promise.all([counting, watching]);
    options.signal.throwIfAborted();
    const output = written.text();
    if (alive.length < stages.length && killed === null)
      throw new AppError('SANDBOX_MISSING', { reason: `bubblewrap does not work here: ${firstLine(output)}` });
    if (group?.ranOutOfMemory() === true) killed ??= 'memory';
    return {
      exitCode: codes.at(-1) ?? 0,
      killed,
      output,
      cut: kept.isCut,
      durationMs: Math.round(performance.now() - startedAt),
    };
  } finally {
    over.abort();
    clearTimeout(deadline);
    options.signal.removeEventListener('abort', onAbort);
    kill(null);
    await Promise.allSettled(stages.map((stage) => stage.ended));
    await group?.remove();
  }
}

function connect(stages: readonly PipelineStage[], follow: (stream: PipelineStage['stdout']) => void): void {
  stages.at(0)?.stdin.end();
  for (const [place, stage] of stages.entries()) {
    follow(stage.stderr);
    const next = stages[place + 1];
    if (next === undefined) {
      follow(stage.stdout);
      continue;
    }
    stage.stdout.on('error', () => undefined);
    stage.stdout.pipe(next.stdin);
    // A command that writes to an exited command is killed too, as by SIGPIPE in a shell.
    next.stdin.once('close', stage.kill);
  }
}

async function countUntil(
  signal: AbortSignal,
  firsts: readonly number[],
  limits: CommandLimits,
  onTooMany: () => void,
): Promise<void> {
  while (!signal.aborted) {
    if (firsts.some((first) => countProcesses(first) > limits.processes)) onTooMany();
    await sleep(COUNT_MS, signal);
  }
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0]?.slice(0, 300) ?? '';
}

/** Creates a command's control group, which limits processes and memory together; null when this process may not create groups. */
function createControlGroup({ memoryBytes, processes: tasks }: CommandLimits) {
  const folders = makeGroup(`${OF_SANDBOX}${newId('run')}`, { memoryMb: memoryBytes / MIB, cpus: null, tasks });
  if (folders === null) return null;
  return {
    add: (pid: number): void => folders.forEach((folder) => writeFileSync(join(folder, 'cgroup.procs'), String(pid))),
    ranOutOfMemory: () => wasKilledForMemory(folders),
    remove: async (): Promise<void> => {
      for (let tries = 0; tries < REMOVE_ATTEMPTS && folders.some((folder) => existsSync(folder)); tries += 1) {
        if (tries > 0) await sleep(25);
        removeGroup(folders);
      }
    },
  };
}

/** Removes groups that a killed service left. Groups with processes stay. */
function sweepControlGroups(): void {
  for (const parent of listGroupParents()) {
    const names = tryOr(() => readdirSync(parent), []);
    removeGroup(names.filter((name) => name.startsWith(OF_SANDBOX)).map((name) => join(parent, name)));
  }
}
