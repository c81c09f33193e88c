import { MIB } from '@signalbox/contracts/size';
import { availableParallelism, release, totalmem } from 'node:os';
import type { HostInventory } from '@signalbox/contracts/operations/deploy';
import { AppError } from '@signalbox/contracts/errors';
import { say } from '@signalbox/messages/say';
import type { Confinement } from '../../sandbox/confinement.ts';
import type { Driver } from '../driver.ts';
import type { EngineHost } from '../host.ts';
import { openThisMachine, readTotalBytes } from '../this-machine.ts';
import { buildInFolder, endFolderBuild, isBuilt, measureBuildCpuMs } from './builds.ts';
import { describeLimits, type ProgramLimits } from '../../sandbox/cgroup.ts';
import { createFolderPaths, findReleaseFolder } from './folders.ts';
import {
  discardArtifact,
  findInstances,
  getInstanceFolder,
  startInstance,
  findInstancePorts,
  getInstanceState,
  stopInstance,
} from './instances.ts';
import { readLog } from './log-file.ts';

const TASKS = 256;
/** A builder of pages wants 4 GB and more, which a small machine does not have. */
const BUILD_MEMORY_MB = Math.max(2_048, Math.floor(totalmem() / 4 / MIB));
/** Limits of a build: enough for a large service on a shared machine. */
const BUILD_LIMITS: ProgramLimits = { memoryMb: BUILD_MEMORY_MB, cpus: availableParallelism(), tasks: 1_024 };

/** Runs releases as confined processes of this machine, with all state in files below `targetsDir`. Linux only: reads /proc. */
export function createProcessDriver(options: {
  readonly server: string;
  readonly targetsDir: string;
  readonly path: string;
  readonly restarts: number;
  /** Maximum of processes and threads of a program; 256 by default, as for a container. */
  readonly tasks?: number;
  readonly buildLimits?: ProgramLimits;
  readonly confinement: Confinement;
  /** Mount point of the control groups; by default the system's usual mount point. */
  readonly controlGroups?: string;
}): Driver {
  const { server, targetsDir, path, restarts, tasks = TASKS, controlGroups, confinement } = options;
  const { buildLimits: limits = BUILD_LIMITS } = options;
  if (process.platform !== 'linux')
    throw new AppError('TARGET_UNREACHABLE', { server, detail: 'programs can be run as processes on Linux only.' });
  const folders = createFolderPaths(targetsDir);
  const machine = openThisMachine(path);
  return {
    name: 'process',
    plan: ({ id, file }) => [
      say('deployment.planCopy'),
      ...file.build.map((argv) => say('deployment.planBuild', { command: argv.join(' ') })),
      say('deployment.planProcess', {
        command: file.start?.join(' ') ?? say('deployment.planNoCommand'),
        server,
        release: id.release,
      }),
    ],
    inspect: (signal) => measure(machine, { targetsDir, limits: describeLimits(controlGroups) }, signal),
    build: (request) => buildInFolder({ folders, path, confinement, limits, controlGroups }, request),
    endBuild: (id, signal) => endFolderBuild(folders, id, signal),
    buildCpuMs: async (id) => measureBuildCpuMs(folders, id),
    start: (request, signal) =>
      startInstance({ folders, path, restarts, tasks, controlGroups, confinement }, request, signal),
    state: async (instance) => getInstanceState(folders, instance),
    listens: (instance) => findInstancePorts(folders, instance),
    stop: (instance, graceMs, signal) => stopInstance(folders, instance, graceMs, signal),
    logs: (instance, query) => readLog(getInstanceFolder(folders, instance.ref), query),
    find: async (service) => findInstances(folders, service),
    has: async (artifact) => artifact.kind === 'folder' && isBuilt(folders, artifact),
    discard: (artifact) => discardArtifact(folders, artifact),
    releaseFolder: (artifact) => findReleaseFolder(folders, artifact),
    execute: (argv, given) => machine.execute(argv, given),
    close: async () => undefined,
  };
}

async function measure(
  machine: EngineHost,
  { targetsDir, limits }: { readonly targetsDir: string; readonly limits: string },
  signal: AbortSignal,
): Promise<HostInventory> {
  return {
    cpus: availableParallelism(),
    memoryMb: Math.floor(readTotalBytes() / MIB),
    ...(await machine.measure(targetsDir, signal)),
    engine: `process on Linux ${release()} (${limits})`.slice(0, 120),
  };
}
