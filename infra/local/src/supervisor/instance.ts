import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '@signalbox/contracts/system-error';
import { z } from 'zod';
import { identifyProcess, isRunning, readCommandLine, sendSignal, waitForExit } from './process-identity.ts';
import type { ProcessIdentity } from './process-identity.ts';
import { SetupError } from '../setup-error.ts';

/** One program of a run. `main` is the file it was started with, by which a later start recognizes it. */
export const ServiceRecord = z.object({
  name: z.string(),
  pid: z.number().int(),
  startMark: z.string(),
  main: z.string(),
  probeUrl: z.url(),
});
export type ServiceRecord = z.output<typeof ServiceRecord>;

/** What runs in a data folder, for `npm run chat`, `npm run signalbox` and the next start. Kept in run.json (0600). */
export const RunRecord = z.object({
  pid: z.number().int(),
  startedAt: z.iso.datetime(),
  databaseUrl: z.url(),
  redisUrl: z.url(),
  simulatorUrl: z.url().nullable(),
  /** Variables by which the job service finds bubblewrap; none where it is installed, or cannot be had. */
  bubblewrap: z.record(z.string(), z.string()).default({}),
  /** The plug-ins of the services, for `npm run signalbox`. */
  agents: z.string().default(''),
  services: z.array(ServiceRecord),
});
export type RunRecord = z.output<typeof RunRecord>;

const Lock = z.object({ pid: z.number().int(), startMark: z.string() });

/**
 * Makes this process the only one that runs Signalbox in the folder; answers how to let go again.
 * A lock whose owner is gone is taken over, also when its pid has been given to another process since.
 * Throws a SetupError when Signalbox runs there already.
 */
export function takeInstanceLock(dataDir: string, identity = ownIdentity()): () => void {
  // As root, the user that runs Postgres has to pass through.
  mkdirSync(dataDir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
  const file = join(dataDir, 'lock');
  const draft = `${file}.${identity.pid}`;
  writeFileSync(draft, JSON.stringify(identity), { mode: 0o600 });
  try {
    // A link appears complete or not at all, and fails when the name exists: two starts at once cannot both win.
    for (let attempt = 0; !tryLink(draft, file); attempt += 1) {
      const owner = readLock(file);
      if (owner !== null && isRunning(owner)) throw alreadyRunning(dataDir, owner.pid);
      if (attempt >= 5) throw new SetupError(`${file} cannot be taken.`, { remedy: `Delete it: rm ${file}` });
      removeStaleLock(file, owner);
    }
  } finally {
    rmSync(draft, { force: true });
  }
  return () => {
    if (readLock(file)?.startMark === identity.startMark) rmSync(file, { force: true });
  };
}

/** What run.json says, or null when nothing was started here, it was stopped, or the file is not readable as one. */
export function readRun(dataDir: string): RunRecord | null {
  try {
    const parsed = RunRecord.safeParse(JSON.parse(readFileSync(join(dataDir, 'run.json'), 'utf8')));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** What runs in the folder right now: run.json, if the process that holds the lock is the one that wrote it. */
export function readLiveRun(dataDir: string): RunRecord | null {
  const owner = readLock(join(dataDir, 'lock'));
  const run = readRun(dataDir);
  return owner !== null && run !== null && owner.pid === run.pid && isRunning(owner) ? run : null;
}

/** Writes run.json in one step, readable by its owner only: it holds the passwords of the servers. */
export function writeRun(dataDir: string, run: RunRecord): void {
  const file = join(dataDir, 'run.json');
  writeFileSync(`${file}.new`, `${JSON.stringify(run, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Forgets the run. */
export function removeRun(dataDir: string): void {
  rmSync(join(dataDir, 'run.json'), { force: true });
}

/**
 * Stops services that a killed supervisor left behind, and only those: the pid must still belong to the process that
 * run.json recorded, started with the same file. Answers their names. Call it while holding the lock.
 */
export async function stopLeftovers(dataDir: string, graceMs = 15_000): Promise<readonly string[]> {
  const services = readRun(dataDir)?.services ?? [];
  const left = services.filter((service) => isRunning(service) && readCommandLine(service.pid).includes(service.main));
  await Promise.all(left.map((service) => stopProcess(service, graceMs)));
  return left.map(({ name }) => name);
}

/** SIGTERM, then after `graceMs` SIGKILL; at the end nothing of its process group is left. */
export async function stopProcess(identity: ProcessIdentity, graceMs: number): Promise<void> {
  sendSignal(identity, 'SIGTERM', 'process');
  await waitForExit(identity, graceMs);
  sendSignal(identity, 'SIGKILL', 'group');
  await waitForExit(identity, 5_000);
}

function ownIdentity(): ProcessIdentity {
  const identity = identifyProcess(process.pid);
  if (identity === null) throw new Error('this process cannot read its own start time');
  return identity;
}

function alreadyRunning(dataDir: string, pid: number): SetupError {
  const run = readRun(dataDir);
  const health = run?.services.find(({ name }) => name === 'gateway')?.probeUrl;
  const urls = run?.pid === pid ? [run.simulatorUrl, health].filter((url) => typeof url === 'string') : [];
  const where = urls.length > 0 ? `: ${urls.join(' ')}` : ', still starting';
  return new SetupError(`Signalbox is already running (pid ${pid})${where}.`, {
    remedy: `Stop it with Ctrl-C there, or with: kill ${pid}`,
  });
}

function tryLink(draft: string, file: string): boolean {
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Between reading a stale lock and removing it another start may have replaced it: look again at what was moved. */
function removeStaleLock(file: string, seen: ProcessIdentity | null): void {
  const aside = `${file}.stale.${process.pid}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return;
    throw error;
  }
  const moved = readLock(aside);
  if (moved !== null && moved.startMark !== seen?.startMark && isRunning(moved)) tryLink(aside, file);
  rmSync(aside, { force: true });
}

function readLock(file: string): ProcessIdentity | null {
  try {
    return Lock.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return null; // absent, or cut off by a full disk: it has no owner
  }
}
