import { posix } from 'node:path';
import { listPaths } from './programs.ts';
import { quote } from './program-rule.ts';

/*
 * On a server nothing is locked in, and the login may read much. So no list of secret files is the rule, but what may be looked
 * at: figures of the machine. A service's release is read in the sandbox, and its log by its driver; both are other places than this.
 */

/** Programs that tell figures, names of processes and of users, whatever flags of the list they get. They open no file that is named. */
const FIGURES = new Set(
  (
    'arch basename date df dirname echo false free groups hostname id ip last lscpu lsblk netstat nproc pgrep ps pwd ss top true uname ' +
    'uptime vmstat w who whoami'
  ).split(' '),
);
/** Programs that read the pipe when no file is named. */
const FILTERS = new Set('cat column cut fold grep head jq nl od paste sed sort tac tail tr uniq wc'.split(' '));
/** Files of the kernel that hold figures of the machine and nothing else. */
const FIGURE_FILES =
  /^\/proc\/(buddyinfo|cpuinfo|diskstats|filesystems|interrupts|loadavg|mdstat|meminfo|partitions|pressure\/(cpu|io|memory)|softirqs|stat|swaps|uptime|version|vmstat|zoneinfo)$/;
/** What systemctl tells about units without a line of their logs. */
const UNIT_VERBS =
  /^(status|is-active|is-enabled|is-failed|is-system-running|list-units|list-timers|list-sockets|list-unit-files)$/;

/**
 * Why a person has to look at one program of a pipeline that begins on a server, or null. There it is not locked in, and it begins in
 * `/` or in a home folder.
 */
export function findServerProblem([name = '', ...args]: readonly string[]): string | null {
  if (FIGURES.has(name)) return null;
  if (name === 'lsof') return args.some((arg) => arg.startsWith('/')) ? describe(name) : null;
  if (name === 'systemctl')
    return args.every((arg) => arg.startsWith('-')) || args.some((arg) => UNIT_VERBS.test(arg)) ? null : describe(name);
  if (!FILTERS.has(name)) return describe(name);
  const paths = listPaths([name, ...args]);
  const searches = name === 'grep' && args.some((arg) => /^-[a-zA-Z]*r|^--recursive$/.test(arg));
  const other = paths?.find((path) => path !== '-' && !(FIGURE_FILES.test(path) && posix.normalize(path) === path));
  return paths !== null && other === undefined && !searches ? null : describe(other ?? name);
}

/** The argv for a server: of the state of a unit, no lines of its log, which may be any program's. */
export function hardenForServer(argv: readonly string[]): readonly string[] {
  return argv[0] === 'systemctl' ? [...argv, '--lines=0'] : argv;
}

function describe(what: string): string {
  return `On a server only figures of the machine are read unasked, and not with ${quote(what)}.`;
}
