import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { availableParallelism, freemem, release, totalmem } from 'node:os';
import type { Inventory } from '@signalbox/shared/contracts/deploy';
import { AppError } from '@signalbox/shared/errors';
import type { Driver } from '../driver.ts';
import { buildFolder, endFolderBuild, isBuilt } from './builds.ts';
import { runCaptured } from './commands.ts';
import { createFolders } from './folders.ts';
import { discardArtifact, findInstances, instanceFolder, startInstance, stateOf, stopInstance } from './instances.ts';
import { readLog } from './log-file.ts';

const MEGABYTE = 1024 * 1024;

/**
 * Runs releases as processes of this machine, as the user of the job service, without an engine. Everything about them is in files
 * below `targetsDir`, so that the next process finds them again. Linux only: it reads /proc.
 */
export function createProcessDriver(options: {
  readonly server: string;
  readonly targetsDir: string;
  /** Where programs of builds and services are looked for. */
  readonly path: string;
  /** Times in a row that a program is started again after a crash. */
  readonly restarts: number;
}): Driver {
  const { server, targetsDir, path, restarts } = options;
  if (process.platform !== 'linux')
    throw new AppError('TARGET_UNREACHABLE', { server, detail: 'programs can be run as processes on Linux only.' });
  const folders = createFolders(targetsDir);
  return {
    name: 'process',
    plan: ({ id, file }) => [
      'Copy the checkout into a folder of its own.',
      ...file.build.map((argv) => `Run \`${argv.join(' ')}\` there.`),
      `Start \`${(file.start ?? ['(no start command)']).join(' ')}\` as a process of ${server}, as release ${id.release}.`,
    ],
    inspect: () => measure(targetsDir),
    build: (request) => buildFolder(folders, path, request),
    endBuild: (id, signal) => endFolderBuild(folders, id, signal),
    start: (request, signal) => startInstance({ folders, path, restarts }, request, signal),
    state: async (instance) => stateOf(folders, instance),
    stop: (instance, graceMs, signal) => stopInstance(folders, instance, graceMs, signal),
    logs: (instance, query) => readLog(instanceFolder(folders, instance.ref), query),
    find: async (service) => findInstances(folders, service),
    has: async (artifact) => artifact.kind === 'folder' && isBuilt(folders, artifact),
    discard: (artifact) => discardArtifact(folders, artifact),
    execute: (argv, { signal, maxBytes }) => {
      const mark = { name: 'SIGNALBOX_COMMAND', value: randomUUID() };
      const environment = { PATH: path, LANG: 'C.UTF-8', [mark.name]: mark.value };
      return runCaptured({ argv, cwd: '/', environment, mark: `${mark.name}=${mark.value}`, signal }, maxBytes);
    },
    close: async () => undefined,
  };
}

/** What this machine has, and what of it is free; of the disk that holds the folder of the targets. */
async function measure(targetsDir: string): Promise<Inventory> {
  mkdirSync(targetsDir, { recursive: true, mode: 0o700 });
  const { bavail, blocks, bsize } = await statfs(targetsDir);
  // In a container the machine's memory is not ours.
  const bound = process.constrainedMemory();
  const totalBytes = bound > 0 && bound < totalmem() ? bound : totalmem();
  return {
    cpus: availableParallelism(),
    memoryMb: Math.floor(totalBytes / MEGABYTE),
    memoryFreeMb: Math.floor(Math.min(availableBytes(), totalBytes) / MEGABYTE),
    diskMb: Math.floor((blocks * bsize) / MEGABYTE),
    diskFreeMb: Math.floor((bavail * bsize) / MEGABYTE),
    engine: `process on Linux ${release()}`.slice(0, 120),
  };
}

/** Memory that new programs can get: free, or taken by caches that give way. */
function availableBytes(): number {
  const found = /^MemAvailable:\s+(\d+) kB/m.exec(readFileSync('/proc/meminfo', 'utf8'));
  return found?.[1] ? Number(found[1]) * 1024 : freemem();
}
