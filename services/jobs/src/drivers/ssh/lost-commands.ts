import { SECOND_MS } from '@signalbox/contracts/time';
import type { Driver, EndedCommand } from '../driver.ts';

/** No command of ours is given so long: one that is older has lost whoever waited for it, also where the server has not noticed. */
const LONGEST_S = 15 * 60;
const OUTPUT_BYTES = 16 * 1024;

/**
 * What runs a command on the server: in a session of its own, whose number it says first, and with a mark in its environment:
 * `<its pid>:<pid of the login's process>:<when it began, in seconds>`. The first word is the login's process.
 */
export const LEADER = 'echo $$; SIGNALBOX_COMMAND="$$:$0:$(date +%s)"; export SIGNALBOX_COMMAND; exec "$@"';

/**
 * Ends every command of ours whose login has ended, with its group. A mark counts for the process alone that it names: what a command
 * has started as a service, and left behind, carries it too and is none of that. Says `pid seconds` for each.
 */
const SWEEP = String.raw`
now=$(date +%s)
for file in $(grep -l SIGNALBOX_COMMAND= /proc/[0-9]*/environ 2> /dev/null); do
  pid=${'$'}{file#/proc/} pid=${'$'}{pid%/environ}
  mark=$(tr '\0' '\n' 2> /dev/null < "$file" | sed -n 's/^SIGNALBOX_COMMAND=//p')
  [ "${'$'}{mark%%:*}" = "$pid" ] || continue
  rest=${'$'}{mark#*:}
  login=${'$'}{rest%%:*} seconds=$((now - ${'$'}{rest#*:}))
  up=$pid held=
  for level in 1 2 3 4 5; do
    up=$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$up/status" 2> /dev/null)
    [ "$up" != "$login" ] || held=yes
    [ "${'$'}{up:-0}" -gt 1 ] || break
  done
  if [ -z "$held" ] || [ "$seconds" -gt "$1" ]; then kill -s KILL -- "-$pid" 2> /dev/null && echo "$pid $seconds"; fi
done
exit 0
`;

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
