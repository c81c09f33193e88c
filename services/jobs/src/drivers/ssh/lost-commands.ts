import { SECOND_MS } from '@signalbox/contracts/time';
import type { Driver, EndedCommand } from '../driver.ts';
import { readPrograms } from '../programs.ts';

/** No command of ours may run this long: an older one has lost its caller. */
const LONGEST_S = 15 * 60;
const OUTPUT_BYTES = 16 * 1024;

/**
 * What runs a command on the server: in a session of its own, whose number it says first, and with a mark in its environment:
 * `<its pid>:<pid of the login's process>:<when it began, in seconds>`. The first word is the login's process.
 */
export const LEADER = 'echo $$; SIGNALBOX_COMMAND="$$:$0:$(date +%s)"; export SIGNALBOX_COMMAND; exec "$@"';

const SWEEP = readPrograms('lost-commands.sh');

/** Ends commands of lost links and returns how long each ran. Throws like `execute`. */
export async function endLostCommands(
  link: Pick<Driver, 'execute'>,
  signal: AbortSignal,
): Promise<readonly EndedCommand[]> {
  const argv = ['sh', '-c', SWEEP, 'sh', String(LONGEST_S)];
  const { stdout } = await link.execute(argv, { signal, maxBytes: OUTPUT_BYTES });
  return [...stdout.matchAll(/^(\d+) (\d+)$/gm)].map(([, pid, seconds]) => ({
    pid: Number(pid),
    ranMs: Number(seconds) * SECOND_MS,
  }));
}
