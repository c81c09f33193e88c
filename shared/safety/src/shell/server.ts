import { posix } from 'node:path';
import { listPaths } from './programs.ts';
import { quote } from './program-rule.ts';

/*
 * Commands on a server are not sandboxed, and the login may read much. So only figures of the machine may be read, instead of excluding
 * secret files. Releases are read in the sandbox and logs by drivers.
 */

/** Programs that show figures, or names of processes and users, with any listed flags; they open no named file. */
const FIGURE_PROGRAMS = new Set(
  (
    'arch basename date df dirname echo false free groups hostname id ip last lscpu lsblk netstat nproc pgrep ps pwd ss top true uname ' +
    'uptime vmstat w who whoami'
  ).split(' '),
);
/** Programs that read standard input without a file. */
const FILTERS = new Set('cat column cut fold grep head jq nl od paste sed sort tac tail tr uniq wc'.split(' '));
/** Matches kernel files that hold only figures of the machine. */
const FIGURE_FILES =
  /^\/proc\/(buddyinfo|cpuinfo|diskstats|filesystems|interrupts|loadavg|mdstat|meminfo|partitions|pressure\/(cpu|io|memory)|softirqs|stat|swaps|uptime|version|vmstat|zoneinfo)$/;
/** systemctl verbs that show units without log lines. */
const UNIT_VERBS =
  /^(status|is-active|is-enabled|is-failed|is-system-running|list-units|list-timers|list-sockets|list-unit-files)$/;

/**
 * Explains why a program of a pipeline on a server needs a person; null when none is needed. The program runs without a sandbox, in `/`
 * or a home folder.
 */
export function findServerProblem([name = '', ...args]: readonly string[]): string | null {
  if (FIGURE_PROGRAMS.has(name)) return null;
  if (name === 'lsof') return args.some((arg) => arg.startsWith('/')) ? describe(name) : null;
  if (name === 'systemctl')
    return args.every((arg) => arg.startsWith('-')) || args.some((arg) => UNIT_VERBS.test(arg)) ? null : describe(name);
  if (!FILTERS.has(name)) return describe(name);
  const paths = listPaths([name, ...args]);
  const searches = name === 'grep' && args.some((arg) => /^-[a-zA-Z]*r|^--recursive$/.test(arg));
  const other = paths?.find((path) => path !== '-' && !(FIGURE_FILES.test(path) && posix.normalize(path) === path));
  return paths !== null && other === undefined && !searches ? null : describe(other ?? name);
}

/** Hardens a program's arguments for a server: systemctl shows no log lines, which any program may have written. */
export function hardenForServer(argv: readonly string[]): readonly string[] {
  return argv[0] === 'systemctl' ? [...argv, '--lines=0'] : argv;
}

function describe(what: string): string {
  return `On a server only figures of the machine are read unasked, and not with ${quote(what)}.`;
}
