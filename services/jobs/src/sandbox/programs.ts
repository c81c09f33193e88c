import { abortAfter } from '@signalbox/contracts/time';
import type { Sandbox } from './sandbox.ts';

/** Programs that scripts are written for, and that not every machine has. */
const INTERPRETERS =
  'bash python3 node perl ruby php lua awk jq sqlite3 git make gcc cc go rustc java bc dc zip unzip tar gzip xz'.split(
    ' ',
  );

const SEARCH_MS = 20_000;

/** Lists the interpreters and tools that commands find in this sandbox; empty without a sandbox. Never throws. */
export async function findPrograms(sandbox: Sandbox): Promise<readonly string[]> {
  if (sandbox.problem !== null) return [];
  const script = `for name in ${INTERPRETERS.join(' ')}; do command -v "$name" >/dev/null && echo "$name"; done; true`;
  const room = { workspace: null, writable: [], cwd: '.', deadlineMs: SEARCH_MS, signal: abortAfter(SEARCH_MS) };
  const ran = await sandbox.runShell(script, room).catch(() => null); // commands are refused later with the reason
  const found = new Set(ran?.output.split('\n'));
  return INTERPRETERS.filter((name) => found.has(name));
}
