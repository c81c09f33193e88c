import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { formatServiceName, type ServiceKey } from '@signalbox/contracts/operations/deploy';
import { AppError } from '@signalbox/contracts/errors';
import { z } from 'zod';
import {
  ReleaseId,
  type BuildArtifact,
  type ServiceInstance,
  type ProgramInstance,
  type InstanceRequest,
  type InstanceState,
} from '../driver.ts';
import { buildLaunchArgs, type Confinement } from '../../sandbox/confinement.ts';
import { isBuilt } from './builds.ts';
import { QUIET_BUILD_ENV } from './commands.ts';
import { putJson, readJson, readText, type FolderPaths } from './folders.ts';
import { buildLimitArgs } from './bounds.ts';
import { nameGroup, makeGroup, listMembers, removeGroup } from '../../sandbox/cgroup.ts';
import {
  killProcesses,
  findProcessTree,
  isRunning,
  measureMemoryMb,
  readBootId,
  sendSignal,
  waitUntil,
  type ProcessIdentity,
  type ProcessRow,
} from './process-table.ts';
import { findListeningPorts } from './listening-ports.ts';
import { readPrograms } from '../read-programs.ts';

/** The record of a started program, in spec.json next to the files of its shim. It holds no values of variables. */
const InstanceFile = z.object({
  label: ReleaseId,
  artifact: z.string(),
  mark: z.string(),
  port: z.number().int(),
  host: z.string(),
  startedAt: z.string(),
  /** Boot id of the machine: after a reboot, recorded pids name other processes. */
  bootId: z.string(),
  memoryMb: z.number(),
  logBytes: z.number(),
  /** Maximum of processes and threads together; null for instances older than this limit. */
  tasks: z.number().nullable().default(null),
  groups: z.array(z.string()).default([]),
});
type InstanceFile = z.output<typeof InstanceFile>;

interface InstanceOptions {
  readonly folders: FolderPaths;
  readonly path: string;
  readonly restarts: number;
  readonly tasks: number;
  readonly controlGroups: string | undefined;
  readonly confinement: Confinement;
}

const HOST = '127.0.0.1';
const START_MS = 10_000;
/** The time within which the shim has to record the program's end and complete the log. */
const SHIM_END_MS = 3_000;
/** Maximum size of one log file; the program that writes the log keeps two files. */
const LOG_BYTES = 10 * 1024 * 1024;
/** The shim's text is copied into each instance's folder, so that an update of Signalbox changes nothing under a running program. */
const SHIM = readPrograms('limit.sh', 'shim.sh');
const KEEPER = readPrograms('keeper.cjs');
const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export function getInstanceFolder(folders: FolderPaths, ref: string): string {
  return join(folders.at(ref), 'instance');
}

/** Starts the program, or returns the running instance of this deployment. An ended program starts again with the same log. */
export async function startInstance(
  { folders, path, restarts, tasks, controlGroups, confinement }: InstanceOptions,
  request: InstanceRequest,
  signal: AbortSignal,
): Promise<ProgramInstance> {
  const { id, artifact, file, variables, port } = request;
  if (!isBuilt(folders, artifact)) throw new AppError('ARTIFACT_GONE', { artifact: artifact.ref });
  if (!file.start) throw new AppError('START_MISSING', { problem: 'signalbox.json has no start command' });
  const ref = folders.ref(id);
  const folder = getInstanceFolder(folders, ref);
  const earlier = readFile(folder);
  if (earlier && readState(folder, earlier).kind === 'running') return describe(ref, earlier);
  // Kills a program that lost its shim, or whose starter died before it wrote the record.
  if (earlier) await killProcesses(() => findProcessTree({ mark: earlier.mark, sessions: [] }), signal);

  const groups = makeGroup(nameGroup(folder), { memoryMb: file.memoryMb, cpus: file.cpus, tasks }, controlGroups) ?? [];
  const mark = { name: 'SIGNALBOX_INSTANCE', value: randomUUID() };
  const instance: InstanceFile = {
    label: ReleaseId.parse(id),
    artifact: artifact.ref,
    mark: `${mark.name}=${mark.value}`,
    port,
    host: HOST,
    startedAt: new Date().toISOString(),
    bootId: readBootId(),
    memoryMb: file.memoryMb,
    logBytes: LOG_BYTES,
    tasks,
    groups: [...groups],
  };
  await Promise.all(['shim', 'pid', 'exit', 'oom', 'restarts'].map((name) => rm(join(folder, name), { force: true })));
  mkdirSync(folders.home(id), { recursive: true, mode: 0o700 });
  const release = join(folders.at(artifact.ref), 'artifact');
  const environment = {
    PATH: path,
    LANG: 'C.UTF-8',
    ...QUIET_BUILD_ENV,
    ...variables,
    PORT: String(port),
    HOST,
    SIGNALBOX_RELEASE: id.release,
    [mark.name]: mark.value,
  };
  const confined = await confinement.confine({
    release,
    isReleaseWritable: false,
    data: folders.home(id),
    environment,
    control: folder,
    targetsDir: folders.root,
    service: formatServiceName(id),
  });
  putJson(join(folder, 'spec.json'), instance);
  writeFileSync(join(folder, 'shim.sh'), SHIM, { mode: 0o600 });
  writeFileSync(join(folder, 'keeper.cjs'), KEEPER, { mode: 0o600 });
  const words = [
    join(folder, 'shim.sh'),
    folder,
    String(restarts),
    process.execPath,
    ...buildLimitArgs({ memoryMb: file.memoryMb, tasks }, groups),
  ];
  const launch = confined ? buildLaunchArgs(confined, instance.mark, { args: 8, filter: 9, info: 7 }) : [];
  const child = spawn('/bin/sh', [...words, '--', ...launch, ...file.start], {
    // The shim of a confined program gets none of its variables and starts in another folder.
    cwd: confined ? folder : release,
    env: confined
      ? { PATH: SYSTEM_PATH, [mark.name]: mark.value, ...inPieces(confined.args) }
      : { HOME: folders.home(id), ...environment },
    detached: true,
    stdio: 'ignore',
  });
  const failed = new Promise<never>((_, reject) => child.once('error', reject));
  failed.catch(() => undefined); // `Promise.race` throws the error; a later error does not matter.
  child.unref();
  const isUp = (): boolean => readText(join(folder, 'pid')) !== null || readText(join(folder, 'exit')) !== null;
  if (!(await Promise.race([waitUntil(isUp, START_MS, signal), failed])))
    throw new Error(`the shim of ${ref} did not start its program within ${START_MS} ms`);
  return describe(ref, instance);
}

export function getInstanceState(folders: FolderPaths, instance: ProgramInstance): InstanceState {
  const folder = getInstanceFolder(folders, instance.ref);
  const file = readFile(folder);
  return file === null ? { kind: 'gone' } : readState(folder, file);
}

/** Finds the ports on which a program and its processes listen. */
export function findInstancePorts(folders: FolderPaths, instance: ProgramInstance): readonly number[] {
  const folder = getInstanceFolder(folders, instance.ref);
  const file = readFile(folder);
  const rows = file === null ? [] : programOf(folder, file, readPid(folder, 'shim', file));
  return findListeningPorts(rows.map(({ pid }) => pid));
}

/** Sends TERM, and KILL after `graceMs`. Returns how the program ended; `gone` when nothing ran. */
export async function stopInstance(
  folders: FolderPaths,
  instance: ProgramInstance,
  graceMs: number,
  signal: AbortSignal,
): Promise<'graceful' | 'killed' | 'gone'> {
  const folder = getInstanceFolder(folders, instance.ref);
  const file = readFile(folder);
  if (file === null) return 'gone';
  const shim = readPid(folder, 'shim', file);
  // The program that writes the log ends by itself once no program writes.
  const members = (): readonly ProcessRow[] => programOf(folder, file, shim);
  const isShimOver = (): boolean => shim === null || !isRunning(shim);
  if (members().length === 0 && isShimOver()) {
    removeGroup(file.groups);
    return 'gone';
  }
  // The shim forwards one signal to its program. Without a shim, each process gets the signal.
  if (!isShimOver() && shim) sendSignal(shim, 'SIGTERM');
  else for (const row of members()) sendSignal(row, 'SIGTERM');
  const isGraceful = await waitUntil(() => members().length === 0, graceMs, signal);
  if (!isGraceful) await killProcesses(members, signal);
  if (!(await waitUntil(isShimOver, SHIM_END_MS, signal)) && shim)
    await killProcesses(() => findProcessTree({ mark: file.mark, sessions: [shim] }), signal);
  removeGroup(file.groups);
  return isGraceful ? 'graceful' : 'killed';
}

/** Lists all instances of a service, running or not, oldest first. */
export function findInstances(folders: FolderPaths, service: ServiceKey): readonly ServiceInstance[] {
  return folders
    .refsOf(service)
    .map((ref) => ({ ref, file: readFile(getInstanceFolder(folders, ref)) }))
    .filter((found): found is { ref: string; file: InstanceFile } => found.file !== null)
    .map(({ ref, file }) => ({
      id: file.label,
      instance: describe(ref, file),
      state: readState(getInstanceFolder(folders, ref), file),
    }))
    .toSorted((one, other) => one.instance.startedAt.localeCompare(other.instance.startedAt));
}

/** Removes an artifact with its ended programs. Throws STILL_IN_USE while one of them runs. */
export async function discardArtifact(folders: FolderPaths, artifact: BuildArtifact): Promise<void> {
  const folder = folders.at(artifact.ref);
  const label =
    readJson(join(folder, 'built.json'), ReleaseId) ?? readFile(getInstanceFolder(folders, artifact.ref))?.label;
  const users = label
    ? folders.refsOf(label).filter((ref) => readFile(getInstanceFolder(folders, ref))?.artifact === artifact.ref)
    : [];
  const running = users.find((ref) => getInstanceState(folders, { ref } as ProgramInstance).kind === 'running'); // `getInstanceState` needs only the ref.
  if (running) throw new AppError('STILL_IN_USE', { instance: running });
  await rm(join(folder, 'built.json'), { force: true }); // The mark of a complete artifact is removed first, so that a half-removed artifact does not look complete.
  for (const ref of users) removeGroup(readFile(getInstanceFolder(folders, ref))?.groups ?? []);
  for (const ref of users) await rm(getInstanceFolder(folders, ref), { recursive: true, force: true });
  await rm(join(folder, 'artifact'), { recursive: true, force: true });
  await rm(join(folder, 'build.json'), { force: true });
  // A rollback's instance has its own folder, and its artifact lies in another deployment's folder.
  if (!existsSync(getInstanceFolder(folders, artifact.ref))) await rm(folder, { recursive: true, force: true });
  for (const ref of users.filter((one) => !existsSync(join(folders.at(one), 'artifact'))))
    await rm(folders.at(ref), { recursive: true, force: true });
}

function readState(folder: string, file: InstanceFile): InstanceState {
  const program = readPid(folder, 'pid', file);
  const shim = readPid(folder, 'shim', file);
  const isUp = program !== null && isRunning(program);
  const isWatched = shim !== null && isRunning(shim);
  // The exit file is read after the process table: the shim writes the exit code before it ends.
  const [code, at, how] = (readText(join(folder, 'exit')) ?? '').split(' ');
  // Between a crash and a restart no process runs for a moment.
  const isOver = how === 'final' || how === 'told';
  if (isUp || (isWatched && !isOver))
    return {
      kind: 'running',
      restarts: Number(readText(join(folder, 'restarts')) ?? 0),
      memoryMb: measureMemoryMb(programOf(folder, file, shim)),
      ...(code ? { lastExit: Number(code) } : {}),
    };
  if (program === null && shim === null) return { kind: 'gone' };
  const oom = program !== null && readText(join(folder, 'oom')) === String(program.pid);
  const restarts = Number(readText(join(folder, 'restarts')) ?? 0);
  return { kind: 'exited', code: code ? Number(code) : null, oom, at: at ?? null, lost: whyLost(file, how), restarts };
}

/** Explains why the program will not be restarted, unless its shim has recorded a final exit. */
function whyLost({ bootId }: InstanceFile, how: string | undefined): string | null {
  if (how === 'final') return null;
  if (bootId !== readBootId()) return 'its machine was started anew';
  return how === 'told' ? 'it was told to end' : 'it was killed together with what watches over it';
}

function programOf(folder: string, file: InstanceFile, shim: ProcessIdentity | null): readonly ProcessRow[] {
  const program = readPid(folder, 'pid', file);
  return findProcessTree(
    { mark: file.mark, sessions: program ? [program] : [], pids: listMembers(file.groups) },
    (row) => shim !== null && row.session === shim.pid,
  );
}

/** Reads a file of the shim: `<pid> <start tick>`. */
function readPid(folder: string, name: 'shim' | 'pid', { bootId }: InstanceFile): ProcessIdentity | null {
  const [pid, tick] = (readText(join(folder, name)) ?? '').split(' ');
  return pid && tick ? { pid: Number(pid), startMark: `${bootId}:${tick}` } : null;
}

function readFile(folder: string): InstanceFile | null {
  const file = join(folder, 'spec.json');
  return existsSync(file) ? readJson(file, InstanceFile) : null;
}

/** Splits the arguments over several variables: the kernel allows 128 kB for each. */
function inPieces(args: Buffer): Record<string, string> {
  const pieces = args.toString('base64').match(/.{1,100000}/g) ?? [];
  return Object.fromEntries(pieces.map((piece, place) => [`_sb_args${place}`, piece]));
}

function describe(ref: string, { host, port, startedAt }: InstanceFile): ProgramInstance {
  return { ref, host, port, startedAt };
}
