import { getSystemCode } from '@signalbox/contracts/system-error';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { AppError } from '@signalbox/contracts/errors';
import { formatServiceName, type LogLine } from '@signalbox/contracts/operations/deploy';
import { z } from 'zod';
import type { Confinement } from '../../sandbox/confinement.ts';
import { ReleaseId, type BuildArtifact, type BuildRequest } from '../driver.ts';
import { buildBoundedPrefix } from './bounds.ts';
import { describeRefusals, nameGroup, makeGroup, removeGroup, type ProgramLimits } from '../../sandbox/cgroup.ts';
import { QUIET_BUILD_ENV, runStreamed, getTrustSettings, type Command, type CommandExit } from './commands.ts';
import { putJson, readJson, type FolderPaths } from './folders.ts';
import { killProcesses, findProcessTree, measureCpuMs, type ProcessIdentity } from './process-table.ts';

const run = promisify(execFile);
/** The share of a build's memory that the heap of one Node may have. */
const NODE_SHARE = 0.75;
const NONE_SUCH = 'there is no such program';
/** Matches the output of the sandbox's launcher for a missing program. */
const NO_PROGRAM = /^\/usr\/bin\/env: .*: No such file or directory$/;

/** Identifies the processes of a build in build.json, so that another worker can end them. */
const BuildMark = z.object({
  mark: z.string(),
  sessions: z.array(z.object({ pid: z.number().int().positive(), startMark: z.string() })),
});

/** Copies the checkout and runs the build commands there. Idempotent: a complete build is kept, a partial build is repeated. */
export async function buildInFolder(
  {
    folders,
    path,
    confinement,
    limits,
    controlGroups,
  }: {
    readonly folders: FolderPaths;
    readonly path: string;
    readonly confinement: Confinement;
    readonly limits: ProgramLimits;
    readonly controlGroups: string | undefined;
  },
  request: BuildRequest,
): Promise<BuildArtifact> {
  const { id, sourceDir, file, onLine, signal } = request;
  const ref = folders.ref(id);
  const folder = folders.at(ref);
  const artifact: BuildArtifact = { kind: 'folder', ref };
  if (isBuilt(folders, artifact)) return artifact;
  await endFolderBuild(folders, id, signal);
  const workDir = join(folder, 'artifact');
  await rm(workDir, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  mkdirSync(folders.home(id), { recursive: true, mode: 0o700 });
  await cp(sourceDir, workDir, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });

  const mark = { name: 'SIGNALBOX_BUILD', value: randomUUID() };
  const buildRecord: z.output<typeof BuildMark> = { mark: `${mark.name}=${mark.value}`, sessions: [] };
  const markFile = join(folder, 'build.json');
  // The build's record is written before any command runs, so that another worker can end the whole build.
  putJson(markFile, buildRecord);
  const groups = makeGroup(nameGroup(join(folder, 'build')), limits, controlGroups) ?? [];
  // Node does not see the limit of its group, and would rather be ended than collect its garbage.
  const heap = `--max-old-space-size=${Math.floor(limits.memoryMb * NODE_SHARE)}`;
  const own = { PATH: path, LANG: 'C.UTF-8', CI: 'true', NODE_OPTIONS: heap, [mark.name]: mark.value };
  const environment = { ...own, ...QUIET_BUILD_ENV, ...getTrustSettings() };
  try {
    const confined = await confinement.confine({
      release: workDir,
      isReleaseWritable: true,
      data: folders.home(id),
      environment,
      control: join(folder, 'build'),
      targetsDir: folders.root,
      service: formatServiceName(id),
    });
    const unconfined = { ...environment, HOME: folders.home(id) };
    const bounded = buildBoundedPrefix(limits, groups);
    for (const argv of file.build) {
      const command = {
        argv,
        cwd: workDir,
        environment: unconfined,
        mark: buildRecord.mark,
        signal,
        confined,
        bounded,
      };
      const onStart = (leader: ProcessIdentity): void => {
        buildRecord.sessions.push({ pid: leader.pid, startMark: leader.startMark });
        putJson(markFile, buildRecord);
      };
      await runStep(command, { onLine, onStart, refusals: () => describeRefusals(groups) });
    }
    signal.throwIfAborted();
    // Confined programs run as other users, so the artifact must be readable. `chmod -R` follows no links.
    if (confined !== null) await run('/bin/chmod', ['-R', 'a+rX', '--', workDir], { env: {}, maxBuffer: 1_000_000 });
  } catch (error) {
    await removeHalf(folders, id);
    throw error;
  } finally {
    removeGroup(groups);
  }
  putJson(join(folder, 'built.json'), ReleaseId.parse(id));
  await rm(markFile, { force: true });
  await rm(join(folder, 'build'), { recursive: true, force: true });
  return artifact;
}

async function runStep(
  command: Command,
  {
    onLine,
    onStart,
    refusals,
  }: Pick<BuildRequest, 'onLine'> & {
    readonly onStart: (leader: ProcessIdentity) => void;
    readonly refusals: () => string;
  },
): Promise<void> {
  let isUnknown = false;
  const seen: { reason: string | null } = { reason: null };
  let isExplained = false;
  const onEach = (line: LogLine): void => {
    const read = isExplained && seen.reason !== null ? null : readReason(line.line);
    seen.reason = read ?? seen.reason;
    // After its reason, npm explains how it is used.
    if (WRONG_USE.test(line.line)) [isExplained, seen.reason] = [true, null];
    isUnknown ||= command.confined !== null && NO_PROGRAM.test(line.line);
    onLine(line);
  };
  const outcome = await runStreamed(command, onEach, onStart).catch((error: unknown) => {
    command.signal.throwIfAborted();
    throw notStarted(command, reason(error));
  });
  if (outcome.code === 127 && isUnknown) throw notStarted(command, NONE_SUCH);
  if (outcome.code !== 0)
    throw new AppError('BUILD_FAILED', {
      command: shown(command.argv),
      outcome: describe(outcome) + (seen.reason === null ? '' : `: ${seen.reason}`) + refusals(),
    });
}

const MAX_REASON = 300;

/** Reads a line in which a package manager or a compiler says why it failed; null for any other line. Pure. */
export function readReason(line: string): string | null {
  const said =
    /^\s*(?:(?:npm )?(?:error|ERROR|ERR!)|[A-Za-z]*Error|fatal)(?::| )\s*(\S.*)$/.exec(line)?.[1]?.trim() ?? null;
  if (said === null || NO_REASON.test(said)) return null;
  return said.replace(/\.$/, '').slice(0, MAX_REASON);
}

/** What npm writes around its reason: its parts, and where its log lies. */
const NO_REASON =
  /^(?:notarget in most cases|code|errno|syscall|path|command|network|signal|a complete log\b|lifecycle|workspace|location)\b/i;

const WRONG_USE = /^npm (?:error|ERR!) code EUSAGE$/;

function notStarted({ argv }: Command, why: string): AppError {
  return new AppError('BUILD_FAILED', { command: shown(argv), outcome: `could not be started: ${why}` });
}

/** Ends the processes of a build, whichever worker started them. */
export async function endFolderBuild(folders: FolderPaths, id: ReleaseId, signal: AbortSignal): Promise<void> {
  const markFile = join(folders.at(folders.ref(id)), 'build.json');
  const buildRecord = readJson(markFile, BuildMark);
  if (buildRecord === null) return;
  await killProcesses(() => findProcessTree(buildRecord), signal);
  if (!existsSync(join(folders.at(folders.ref(id)), 'built.json'))) await removeHalf(folders, id);
}

/** Measures the processor time of a running build in milliseconds; null when none runs. */
export function measureBuildCpuMs(folders: FolderPaths, id: ReleaseId): number | null {
  const buildRecord = readJson(join(folders.at(folders.ref(id)), 'build.json'), BuildMark);
  const rows = buildRecord === null ? [] : findProcessTree(buildRecord);
  return rows.length === 0 ? null : measureCpuMs(rows);
}

/** Removes the files of a failed build, which may be large. */
async function removeHalf(folders: FolderPaths, id: ReleaseId): Promise<void> {
  const folder = folders.at(folders.ref(id));
  await rm(join(folder, 'artifact'), { recursive: true, force: true });
  await rm(join(folder, 'build'), { recursive: true, force: true });
  await rm(join(folder, 'build.json'), { force: true });
}

/** True when the artifact is complete and present. */
export function isBuilt(folders: FolderPaths, artifact: BuildArtifact): boolean {
  const folder = folders.at(artifact.ref);
  return existsSync(join(folder, 'built.json')) && existsSync(join(folder, 'artifact'));
}

function shown(argv: readonly string[]): string {
  const line = argv.join(' ');
  return line.length > 200 ? `${line.slice(0, 200)} …` : line;
}

function describe({ code, by }: CommandExit): string {
  return code === null ? `was ended by ${by ?? 'a signal'}` : `ended with exit code ${code}`;
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return getSystemCode(error) === 'ENOENT' ? NONE_SUCH : error.message;
}
