import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { killProcesses, findProcessTree } from '@signalbox/jobs/drivers/process/process-table';
import { discardPostgres } from '@signalbox/local/postgres/postgres';
import { identifyProcess, isRunning, type ProcessIdentity } from '@signalbox/local/supervisor/process-identity';
import { discardRedis } from '@signalbox/local/redis/redis';
import { z } from 'zod';

const Owner = z.object({ pid: z.number(), startMark: z.string() });
/** What the driver of processes writes down of a program: see its `instances.ts`. */
const Program = z.object({ mark: z.string().regex(/^SIGNALBOX_INSTANCE=[0-9a-f-]{36}$/), bootId: z.string() });

/** A killed process is gone within milliseconds, unless the machine is very busy. */
const END_MS = 20_000;

/** The folder of a run, which says whose it is before anything else is in it. */
export function makeRunFolder(root: string): string {
  const dir = join(root, String(process.pid));
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'owner.json'), JSON.stringify(identifyProcess(process.pid)));
  return dir;
}

/**
 * A run that was killed could not end its servers and what it deployed: the next one does, once the owner is gone for good. Of
 * several runs that begin at once, one sweeps a folder. What cannot be swept is reported, and stays; it stops nobody's run.
 */
export async function sweepLeftovers(root: string, report: (line: string) => void): Promise<void> {
  mkdirSync(root, { recursive: true });
  for (const name of readdirSync(root)) {
    const dir = join(root, name);
    if (!isAbandoned(dir) || !claim(dir)) continue;
    try {
      await discardRun(dir);
    } catch (error) {
      rmSync(join(dir, 'sweeper.json'), { force: true });
      report(`what an earlier run left in ${dir} could not be swept: ${String(error)}`);
    }
  }
}

/** Ends every program and every server of a run, also those that its tests started and could not end, and deletes all files. */
export async function discardRun(dir: string): Promise<void> {
  await endPrograms(dir);
  const folders = [dir, join(dir, 'own-redis')]
    .flatMap(listFolders)
    .filter((folder) => existsSync(join(folder, 'server.json')));
  await Promise.all(
    folders.map((folder) => (existsSync(join(folder, 'redis.conf')) ? discardRedis(folder) : discardPostgres(folder))),
  );
  rmSync(dir, { recursive: true, force: true });
}

/** Without an owner it belongs to a run that is just beginning. */
function isAbandoned(dir: string): boolean {
  const owner = readOwner(join(dir, 'owner.json'));
  return owner !== null && !isRunning(owner);
}

/** Whether this process sweeps that folder. The claim of one that was killed over it counts no more. */
function claim(dir: string): boolean {
  const file = join(dir, 'sweeper.json');
  const earlier = readOwner(file);
  if (earlier !== null && !isRunning(earlier)) rmSync(file, { force: true });
  try {
    writeFileSync(file, JSON.stringify(identifyProcess(process.pid)), { flag: 'wx' });
    return true;
  } catch {
    return false; // somebody else's, or deleted meanwhile
  }
}

function readOwner(file: string): ProcessIdentity | null {
  try {
    return Owner.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return null; // none (yet), or not written to its end
  }
}

/** What was deployed, by the pids and start ticks that its driver wrote down and the mark that it gave to it. */
async function endPrograms(dir: string): Promise<void> {
  for (const folder of findInstances(dir)) {
    const program = readProgram(join(folder, 'spec.json'));
    if (program === null) continue;
    const { mark, bootId } = program;
    const sessions = ['shim', 'pid'].flatMap((name) => readLeader(join(folder, name), bootId));
    await killProcesses(() => findProcessTree({ mark, sessions }), AbortSignal.timeout(END_MS));
  }
}

function readProgram(file: string): z.infer<typeof Program> | null {
  try {
    return Program.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return null; // not of a driver, or not written to its end
  }
}

function readLeader(file: string, bootId: string): readonly ProcessIdentity[] {
  const [pid, tick] = existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ') : [];
  return pid && tick ? [{ pid: Number(pid), startMark: `${bootId}:${tick}` }] : [];
}

/** Folders of programs, at any depth: `<targets>/<project>/<environment>/<deployment>/instance`. No link is followed. */
function findInstances(dir: string): readonly string[] {
  return listFolders(dir).flatMap((folder) =>
    folder.endsWith('/instance') && existsSync(join(folder, 'spec.json')) ? [folder] : findInstances(folder),
  );
}

function listFolders(dir: string): readonly string[] {
  try {
    return readdirSync(dir, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(dir, entry.name));
  } catch {
    return []; // none, deleted while we looked, or closed to us
  }
}
