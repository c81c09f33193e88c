import { closeSync, readdirSync, readFileSync } from 'node:fs';
import { tryOr } from '@signalbox/contracts/system-error';

/** Linux's O_CLOEXEC, as `flags` in /proc/self/fdinfo shows it: exec closes such a descriptor. */
const CLOSE_ON_EXEC_FLAG = 0o2_000_000;
/** Descriptors 0 to 2 are stdin, stdout and stderr, which each spawn sets itself. */
const MAX_STANDARD_DESCRIPTOR = 2;

/**
 * Closes descriptors inherited from the parent process, such as a shell's pipes, so that child processes do not
 * inherit them. Node's own descriptors are closed on exec and stay open. Call it once, before anything else is
 * opened. Does nothing outside Linux. Returns the closed descriptors; those in `keep` stay open.
 */
export function closeInherited(keep: readonly number[] = []): readonly number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter(
      (descriptor) =>
        descriptor > MAX_STANDARD_DESCRIPTOR &&
        !keep.includes(descriptor) &&
        isInherited(descriptor) &&
        tryOr(() => closeSync(descriptor) === undefined, false),
    );
}

function isInherited(descriptor: number): boolean {
  // The descriptor that listed the folder is closed by now, so it has no fdinfo.
  const info = tryOr(() => readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'), '');
  const [, flags = ''] = /^flags:\s+([0-7]+)$/m.exec(info) ?? [];
  return flags !== '' && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC_FLAG) === 0;
}
