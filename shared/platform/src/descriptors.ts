import { closeSync, readdirSync, readFileSync } from 'node:fs';
import { attempt } from '@signalbox/contracts/system-error';

/** O_CLOEXEC of Linux, as `flags` of /proc/self/fdinfo has it: the kernel closes such a descriptor when another program is started. */
const CLOSED_ON_EXEC = 0o2_000_000;
/** Input, output and errors are what a child is given on purpose, or not at all. */
const STANDARD = 2;

/**
 * Closes the descriptors that the starter of this process left open, such as the pipes and files of a shell, so that no child gets them.
 * What Node opens itself is closed on exec and stays. Call it once, before anything else is opened; Linux only, nothing elsewhere.
 * Returns the descriptors that were closed. Those to `keep` were left open on purpose.
 */
export function closeInherited(keep: readonly number[] = []): readonly number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter(
      (descriptor) =>
        descriptor > STANDARD &&
        !keep.includes(descriptor) &&
        isInherited(descriptor) &&
        attempt(() => closeSync(descriptor) === undefined, false),
    );
}

function isInherited(descriptor: number): boolean {
  // There is nothing of the one by which the folder was listed.
  const info = attempt(() => readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'), '');
  const [, flags = ''] = /^flags:\s+([0-7]+)$/m.exec(info) ?? [];
  return flags !== '' && (Number.parseInt(flags, 8) & CLOSED_ON_EXEC) === 0;
}
