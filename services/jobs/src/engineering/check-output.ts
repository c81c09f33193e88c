import { stripVTControlCharacters } from 'node:util';

/** Lines that tell a failure, in the words of the usual runners and package managers. */
const TELLING = new RegExp(
  [
    /^\s*not ok\b|[✖✗✘×]|\bFAIL(?:ED|URE)?\b|^\s*#? ?fail(?:ed|ing)?:? [1-9]/,
    /\b\w*(?:Error|Exception)\b|\bnpm (?:error|ERR!)|\bERR_\w+|^Traceback |^E {2,}/,
    /\berror(?:\[\w+\])?:|\berror TS\d+|\bpanicked at\b/,
  ]
    .map(({ source }) => source)
    .join('|'),
);
const PASSED = /^\s*(?:ok\b|[✓✔√])/;
/** Lines before and after a telling line, which hold expected and actual values and the place. */
const BEFORE = 1;
const AFTER = 10;
const MAX_LINE = 400;
const LAST_LINES = 12;
/** Where a shell says what it did not find. */
const LAST_CHARACTERS = 4_000;

/** Removes colors and the steps of progress bars from an output. Pure. */
export function cleanOutput(output: string): string {
  const lines = stripVTControlCharacters(output).replaceAll('\r\n', '\n').split('\n');
  return lines.map((line) => line.slice(line.lastIndexOf('\r') + 1)).join('\n');
}

/**
 * Shortens an output to the lines that tell a failure and to its end, and says where how many lines were left out. Of a passed command the
 * end is enough. `limit`: characters. Pure.
 */
export function shortenOutput(output: string, limit: number, isFailed = true): string {
  const lines = output
    .trimEnd()
    .split('\n')
    .map((line) => (line.length <= MAX_LINE ? line : `${line.slice(0, MAX_LINE)}…`));
  if (sizeOf(lines) <= limit) return lines.join('\n');
  const kept = new Set<number>();
  let room = limit;
  const keep = (from: number, to: number): boolean => {
    for (let at = Math.max(0, from); at <= Math.min(to, lines.length - 1); at += 1) {
      if (kept.has(at)) continue;
      const length = (lines[at] ?? '').length + 1;
      if (length > room) return false;
      kept.add(at);
      room -= length;
    }
    return true;
  };
  for (let at = lines.length - 1; at >= lines.length - LAST_LINES && limit - room < limit / 3; at -= 1) keep(at, at);
  for (const [at, line] of lines.entries())
    if (isFailed && TELLING.test(line) && !PASSED.test(line) && !keep(at - BEFORE, at + AFTER)) break;
  return join(lines, kept);
}

function join(lines: readonly string[], kept: ReadonlySet<number>): string {
  const shown: string[] = [];
  let left = 0;
  for (const [at, line] of lines.entries()) {
    if (!kept.has(at)) {
      left += 1;
      continue;
    }
    if (left > 0) shown.push(`[${left} lines left out]`);
    left = 0;
    shown.push(line);
  }
  if (left > 0) shown.push(`[${left} lines left out]`);
  return shown.join('\n');
}

function sizeOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}

/** What runners say when they find no test. */
const NONE = [
  /^Ran 0 tests in /m,
  /\bno tests ran\b/i,
  /^collected 0 items/m,
  /^[#ℹ] tests 0$/m,
  /\bno test specified\b/,
  /^1\.\.0\b/m,
  /\[no test files\]/,
  /^running 0 tests$/m,
  /\bno tests? (?:files? )?(?:were )?found\b/i,
  /^\s*0 passing\b/m,
];
/** What they say when they ran one. */
const SOME = [
  /^Ran [1-9]\d* tests? in /m,
  /\b[1-9]\d* (?:passed|failed|passing|failing)\b/,
  /^[#ℹ] tests [1-9]/m,
  /^1\.\.[1-9]/m,
  /^(?:not )?ok[ \t]+\S/m,
  /^FAIL[ \t]+\S/m,
  /^running [1-9]\d* tests?$/m,
];

/** True when no runner says that it ran a test, and one says that it found none or could not start (`lacksTool`). Pure. */
export function hasNoTest(output: string, lacksTool = false): boolean {
  return (lacksTool || NONE.some((pattern) => pattern.test(output))) && !SOME.some((pattern) => pattern.test(output));
}

/** Says what a machine lacks, when an output shows that a command could not work for this reason; null for other failures. Pure. */
export function explainLack(output: string, exitCode: number): string | null {
  if (/\bENOSPC\b|No space left on device/i.test(output))
    return 'A folder of the sandbox is full. Whoever runs Signalbox can enlarge /tmp and /dev/shm by SANDBOX_TMP_MB of the pool analysis; all else is on the disk of ENGINEERING_DIR.';
  if (/\bensurepip is not available\b/.test(output)) return lacks('python3-venv');
  const module = /\bNo module named '?(pip|venv|pytest)\b/.exec(output)?.[1];
  if (module !== undefined) return lacks(`the Python module ${module}`);
  if (exitCode !== 127) return null;
  const lines = output.slice(-LAST_CHARACTERS).split('\n');
  const said = lines.findLast((line) => /: (?:command )?not found$/.test(line.trimEnd()));
  const program = said?.split(': ').at(-2)?.slice(0, 80);
  return lacks(program ?? 'a program that the command names');
}

function lacks(tool: string): string {
  return `The sandbox of this machine lacks ${tool}.`;
}
