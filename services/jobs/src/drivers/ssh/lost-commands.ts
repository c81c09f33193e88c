import { SECOND_MS } from '@signalbox/contracts/time';
import type { Driver, EndedCommand } from '../driver.ts';
import { readPrograms } from '../programs.ts';

/** No command of ours is given so long: one that is older has lost whoever waited for it, also where the server has not noticed. */
const LONGEST_S = 15 * 60;
const OUTPUT_BYTES = 16 * 1024;

/**
 * What runs a command on the server: in a session of its own, whose number it says first, and with a mark in its environment:
 * `<its pid>:<pid of the login's process>:<when it began, in seconds>`. The first word is the login's process.
 */
export const LEADER = 'echo $$; SIGNALBOX_COMMAND="$$:$0:$(date +%s)"; export SIGNALBOX_COMMAND; exec "$@"';

const SWEEP = readPrograms('lost-commands.sh');

/** Ends the commands of links that have dropped, whoever had them, and says for how long each had run. Throws as `execute`. */
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
