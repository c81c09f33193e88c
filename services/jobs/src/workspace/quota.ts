import { MIB } from '@signalbox/contracts/size';
import type { Stats } from 'node:fs';
import { lstat, readdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@signalbox/contracts/errors';
import { sleep } from '@signalbox/contracts/time';
import { getSystemCode } from '@signalbox/contracts/system-error';

export interface Quota {
  readonly limitBytes: number;
  /** Space that must stay free on the workspace's file system. */
  readonly reserveBytes: number;
}

export interface Usage {
  readonly usedBytes: number;
  /** True when a folder is unreadable, or a path too long. */
  readonly isHidden: boolean;
  readonly freeBytes: number;
}

/** Reasons for killing a writing command: its workspace is too large, or the disk is nearly full. */
export type OverrunReason = 'workspace' | 'disk';

/** The size counted for any entry, even an empty file: names alone can fill a disk. */
const ENTRY_BYTES = 4096;
/** Number of entries read in parallel; there are few I/O threads. */
const BATCH = 64;
/** Time between two checks of the free space, in which a fast disk writes some hundred megabytes. */
const FREE_MS = 100;
/** Pause between measurements as a multiple of their duration, so that large workspaces keep no core busy. */
const REST_FACTOR = 2;
/** A loss of free space below this size is not blamed on a command, because other programs write too. */
const SLACK_BYTES = 16 * MIB;

/** Measures the disk usage of a workspace; changes meanwhile may count too much. Rejects with the signal's reason. */
export async function measureUsage(root: string, signal: AbortSignal): Promise<Usage> {
  const seen = new Set<string>();
  const folders = [root];
  let usedBytes = 0;
  let isHidden = false;
  const count = (stats: Stats | 'gone' | 'hidden'): void => {
    if (stats === 'hidden') isHidden = true;
    if (stats === 'gone' || stats === 'hidden') return;
    const isNamedTwice = stats.nlink > 1 && !stats.isDirectory();
    const file = `${stats.dev}:${stats.ino}`;
    if (isNamedTwice && seen.has(file)) return; // The file was counted under another hard link.
    if (isNamedTwice) seen.add(file);
    usedBytes += Math.max(stats.blocks * 512, ENTRY_BYTES);
  };
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const inside = folder;
    const entries = await readdir(inside, { withFileTypes: true }).catch((error: unknown) => {
      isHidden ||= !isGone(error);
      return [];
    });
    for (const { name } of entries.filter((entry) => entry.isDirectory())) folders.push(join(inside, name));
    for (let from = 0; from < entries.length; from += BATCH) {
      signal.throwIfAborted();
      const batch = entries.slice(from, from + BATCH);
      (await Promise.all(batch.map(({ name }) => statsOf(join(inside, name))))).forEach(count);
    }
  }
  return { usedBytes, isHidden, freeBytes: await freeBytesAt(root) };
}

/** Throws WORKSPACE_FULL when this many more bytes do not fit. Shrinking always fits. */
export async function requireFreeSpace(
  root: string,
  quota: Quota,
  moreBytes: number,
  signal: AbortSignal,
): Promise<void> {
  if (moreBytes <= 0) return;
  const { usedBytes, isHidden, freeBytes } = await measureUsage(root, signal);
  if (isHidden) refuse('it holds something that cannot be looked into');
  if (usedBytes + moreBytes > quota.limitBytes)
    refuse(`it holds ${inMegabytes(usedBytes)} MB, and may hold ${inMegabytes(quota.limitBytes)} MB`);
  if (freeBytes - moreBytes < quota.reserveBytes) refuse('the disk is nearly full');
}

/** Maximum size of a file that a command may write, so that even a short command cannot exceed the limit by much. */
export function getFileLimit(quota: Quota, { usedBytes }: Usage): number {
  return Math.max(quota.limitBytes - usedBytes, MIB);
}

/** Watches a workspace while a command writes. Resolves to the reason for killing it, or null once the signal aborts. */
export async function watchUsage(
  root: string,
  quota: Quota,
  start: Usage,
  signal: AbortSignal,
): Promise<OverrunReason | null> {
  try {
    // Both watches settle soon after the signal.
    return await Promise.race([watchTotal(root, quota, start, signal), watchFree(root, quota, start, signal)]);
  } catch (error) {
    if (!signal.aborted) throw error;
    return null;
  }
}

async function watchFree(root: string, quota: Quota, start: Usage, signal: AbortSignal): Promise<OverrunReason | null> {
  const mustStay = Math.min(quota.reserveBytes, start.freeBytes - SLACK_BYTES);
  while (!signal.aborted) {
    if ((await freeBytesAt(root)) < mustStay) return 'disk';
    await sleep(FREE_MS, signal);
  }
  return null;
}

async function watchTotal(
  root: string,
  quota: Quota,
  start: Usage,
  signal: AbortSignal,
): Promise<OverrunReason | null> {
  const mayHold = Math.max(quota.limitBytes, start.usedBytes);
  while (!signal.aborted) {
    const startedAt = performance.now();
    const { usedBytes, isHidden } = await measureUsage(root, signal);
    if (usedBytes > mayHold || (isHidden && !start.isHidden)) return 'workspace';
    await sleep(Math.max(FREE_MS, REST_FACTOR * (performance.now() - startedAt)), signal);
  }
  return null;
}

async function freeBytesAt(root: string): Promise<number> {
  const { bavail, bsize } = await statfs(root);
  return bavail * bsize;
}

async function statsOf(path: string): Promise<Stats | 'gone' | 'hidden'> {
  try {
    return await lstat(path);
  } catch (error) {
    return isGone(error) ? 'gone' : 'hidden';
  }
}

function isGone(error: unknown): boolean {
  const code = getSystemCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

function refuse(detail: string): never {
  throw new AppError('WORKSPACE_FULL', { detail });
}

function inMegabytes(bytes: number): string {
  return Math.ceil(bytes / MIB).toLocaleString('en');
}
