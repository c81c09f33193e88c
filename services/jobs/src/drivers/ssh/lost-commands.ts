import { SECOND_MS } from '@signalbox/contracts/time';
import type { Driver, EndedCommand } from '../driver.ts';
import { readPrograms } from '../read-programs.ts';

/** Maximum runtime of a diagnostic command: an older command has lost its caller. */
const MAX_COMMAND_S = 15 * 60;
const OUTPUT_BYTES = 16 * 1024;

/**
 * Shell code that runs a command in a session, prints the session's number first, and marks the environment with `<pid>:<pid of the
 * login's process>:<start in seconds>`. The first argument is the pid of the login's process.
 */
export const LAUNCH_SCRIPT = 'echo $$; SIGNALBOX_COMMAND="$$:$0:$(date +%s)"; export SIGNALBOX_COMMAND; exec "$@"';

const SWEEP = readPrograms('lost-commands.sh');

/** Kills commands of lost links and returns how long each ran. Throws like `execute`. */
export async function endLostCommands(
  link: Pick<Driver, 'execute'>,
  signal: AbortSignal,
): Promise<readonly EndedCommand[]> {
  const argv = ['sh', '-c', SWEEP, 'sh', String(MAX_COMMAND_S)];
  const { stdout } = await link.execute(argv, { signal, maxBytes: OUTPUT_BYTES });
  return [...stdout.matchAll(/^(\d+) (\d+)$/gm)].map(([, pid, seconds]) => ({
    pid: Number(pid),
    ranMs: Number(seconds) * SECOND_MS,
  }));
}
