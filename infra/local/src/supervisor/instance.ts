import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getSystemCode } from '@signalbox/contracts/system-error';
import { z } from 'zod';
import { identifyProcess, isRunning, readCommandLine, sendSignal, waitForExit } from './process-identity.ts';
import type { ProcessIdentity } from './process-identity.ts';
import { SetupError } from '../setup-error.ts';

/** A program of a run. A later start recognizes its process by `main`, the program's file. */
export const ServiceRecord = z.object({
  name: z.string(),
  pid: z.number().int(),
  startMark: z.string(),
  main: z.string(),
  probeUrl: z.url(),
});
export type ServiceRecord = z.output<typeof ServiceRecord>;

/** The state of a run, stored in run.json (0600) for `npm run chat`, `npm run signalbox` and the next start. */
export const RunRecord = z.object({
  pid: z.number().int(),
  startedAt: z.iso.datetime(),
  databaseUrl: z.url(),
  redisUrl: z.url(),
  simulatorUrl: z.url().nullable(),
  /** Where alarms are posted to; null without the channel ingress. */
  hooksUrl: z.url().nullable().default(null),
  /** Variables that locate bubblewrap; empty when bubblewrap is installed or unavailable. */
  bubblewrap: z.record(z.string(), z.string()).default({}),
  /** The value of AGENTS, for `npm run signalbox`. */
  agents: z.string().default(''),
  services: z.array(ServiceRecord),
});
export type RunRecord = z.output<typeof RunRecord>;

const Lock = z.object({ pid: z.number().int(), startMark: z.string() });

/**
 * Locks the data folder for this process and returns a function that unlocks it. Takes over the lock of a dead process, even when its pid
 * is in use again. Throws SetupError when Signalbox already runs there.
 */
export function takeInstanceLock(dataDir: string, identity = ownIdentity()): () => void {
  // When root starts Postgres as another user, that user must be able to enter the folder.
  mkdirSync(dataDir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
  const file = join(dataDir, 'lock');
  const draft = `${file}.${identity.pid}`;
  writeFileSync(draft, JSON.stringify(identity), { mode: 0o600 });
  try {
    // Linking is atomic and fails when the name exists: only one of two starts wins.
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

/** Reads run.json. Returns null when it is missing or invalid. */
export function readRunRecord(dataDir: string): RunRecord | null {
  try {
    const parsed = RunRecord.safeParse(JSON.parse(readFileSync(join(dataDir, 'run.json'), 'utf8')));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** Reads run.json. Returns null unless the process that wrote it still runs. */
export function readLiveRunRecord(dataDir: string): RunRecord | null {
  const owner = readLock(join(dataDir, 'lock'));
  const run = readRunRecord(dataDir);
  return owner !== null && run !== null && owner.pid === run.pid && isRunning(owner) ? run : null;
}

/** Writes run.json atomically. Mode 0600, because it contains the servers' passwords. */
export function writeRunFile(dataDir: string, run: RunRecord): void {
  const file = join(dataDir, 'run.json');
  writeFileSync(`${file}.new`, `${JSON.stringify(run, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

export function removeRunFile(dataDir: string): void {
  rmSync(join(dataDir, 'run.json'), { force: true });
}

/**
 * Stops services that a killed supervisor left running. Compares each process with its record in run.json. Returns the names. Requires
 * the lock of the data folder.
 */
export async function stopLeftovers(dataDir: string, graceMs = 15_000): Promise<readonly string[]> {
  const services = readRunRecord(dataDir)?.services ?? [];
  const left = services.filter((service) => isRunning(service) && readCommandLine(service.pid).includes(service.main));
  await Promise.all(left.map((service) => stopProcess(service, graceMs)));
  return left.map(({ name }) => name);
}

/** Sends SIGTERM to the process, and after `graceMs` SIGKILL to its process group. */
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
  const run = readRunRecord(dataDir);
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
    if (getSystemCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Removes the lock of a dead process. Moves the file first and reads it again, because another start may have replaced it. */
function removeStaleLock(file: string, seen: ProcessIdentity | null): void {
  const aside = `${file}.stale.${process.pid}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if (getSystemCode(error) === 'ENOENT') return;
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
    return null; // a missing or incomplete lock has no owner
  }
}
