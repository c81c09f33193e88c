import { closeSync, existsSync, mkdirSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Ten megabytes contain weeks of a local run. */
const ROTATE_ABOVE_BYTES = 10 * 1024 * 1024;

/** Opens a log for appending, with mode 0600. Renames a log above 10 MB to `<file>.1` first. */
export function openLog(file: string): number {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  if (readLogSize(file) > ROTATE_ABOVE_BYTES) renameSync(file, `${file}.1`);
  return openSync(file, 'a', 0o600);
}

/** Returns the size of a log in bytes, 0 if it does not exist. */
export function readLogSize(file: string): number {
  return existsSync(file) ? statSync(file).size : 0;
}

/** Returns the log after `fromBytes`, at most its last 64 kB. */
export function readLogTail(file: string, fromBytes: number): string {
  const size = readLogSize(file);
  const start = Math.max(Math.min(fromBytes, size), size - 64 * 1024);
  if (size === 0) return '';
  const handle = openSync(file, 'r');
  try {
    const buffer = Buffer.alloc(size - start);
    const length = readSync(handle, buffer, 0, buffer.length, start);
    return buffer.toString('utf8', 0, length);
  } finally {
    closeSync(handle);
  }
}
