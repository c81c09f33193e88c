import { quote, type ArgumentReader, type ParsedArguments, type ProgramTable } from '../program-rule.ts';
import { readPsArguments } from './ps.ts';

/** The maximum repetitions and pause in seconds for `top` and `vmstat`. */
const MAX_REPEATS = 10;

function endsSoon({ flags }: ParsedArguments): string | null {
  const within = (flag: string): boolean =>
    (flags.get(flag) ?? []).every((value) => /^\d+(\.\d+)?$/.test(value) && Number(value) <= MAX_REPEATS);
  if (!flags.has('-b') || !flags.has('-n')) return 'top runs until it is stopped; with -b -n 1 it ends by itself.';
  return within('-n') && within('-d') && !(flags.get('-n') ?? []).includes('0')
    ? null
    : 'top repeats itself for too long.';
}

function repeatsSeldom({ operands }: ParsedArguments): string | null {
  return operands.length === 1 || operands.some((operand) => Number(operand) > MAX_REPEATS || Number(operand) === 0)
    ? 'vmstat repeats itself for too long; give a pause and a count of at most ten.'
    : null;
}

const IP_FLAGS = new Set(
  '-4 -6 -br -brief -c -color -d -details -h -human -j -json -o -oneline -p -pretty -s -stats'.split(' '),
);
const IP_OBJECTS = new Set('a addr address link r route rule n neigh neighbor maddr'.split(' '));
const IP_VERBS = new Set('show list ls'.split(' '));

/** Checks `ip`, which reads and changes with the same words: only flags, an object, `show` and one device are allowed. */
const readIpArguments: ArgumentReader = (args) => {
  const rest = args.slice(args.findIndex((arg) => !IP_FLAGS.has(arg)));
  const [object = '', verb, ...tail] = args.every((arg) => IP_FLAGS.has(arg)) ? [] : rest;
  const device = tail[0] === 'dev' ? tail.slice(1) : tail;
  const known =
    IP_OBJECTS.has(object) &&
    (verb === undefined || IP_VERBS.has(verb)) &&
    device.length <= 1 &&
    device.every((name) => /^[a-z0-9][a-z0-9.@-]*$/.test(name));
  return known
    ? { argv: args }
    : { reason: `ip ${quote(args.join(' '))} does more than show, as far as the list says.` };
};

const SYSTEMCTL_VERBS =
  /^(status|is-active|is-enabled|is-failed|is-system-running|list-units|list-timers|list-sockets|list-unit-files|list-dependencies)$/;

/** Checks that systemctl's verb only reads. `show` and `cat` are excluded: they print the environment of services. */
function looksOnly({ operands: [verb = 'list-units'] }: ParsedArguments): string | null {
  return SYSTEMCTL_VERBS.test(verb) ? null : `systemctl ${quote(verb)} is not on the list.`;
}

/** journald output formats with few fields. Others show all fields, among them COREDUMP_ENVIRON, the environment of a crashed program. */
const JOURNAL_FORM = /^(short(-[a-z]+)*|cat|with-unit)$/;

function showsFewFields({ flags }: ParsedArguments): string | null {
  const odd = ['-o', '--output'].flatMap((flag) => flags.get(flag) ?? []).find((form) => !JOURNAL_FORM.test(form));
  return odd === undefined ? null : `The form ${quote(odd)} shows every field of a message, environments too.`;
}

/** Programs that show the state of the machine. */
export const SYSTEM_PROGRAMS: ProgramTable = {
  // An operand without + sets the clock, as does -s; -f and -r read a file.
  date: {
    flags: '-d= -I=? -R -u --date= --iso-8601=? --rfc-3339= --rfc-email --utc --universal',
    operands: /^\+/,
    maxOperands: 1,
  },
  uptime: { flags: '-p -s --pretty --since' },
  who: { flags: '-a -b -d -H -l -m -p -q -r -s -t -u --all --boot --count --heading --users' },
  w: { flags: '-f -h -i -o -s --no-header --short' },
  // Excludes -d, which asks the name server, and -f, which reads any file.
  last: { flags: '-a -F -i -n= -p= -R -s= -t= -w -x -# --limit= --fulltimes --since= --until=', operands: /^[\w.-]+$/ },
  id: { flags: '-g -G -n -r -u -z --group --groups --name --real --user', operands: /^[\w.-]+$/ },
  whoami: {},
  groups: { operands: /^[\w.-]+$/ },
  // An operand changes the host's name; -i and -f ask the name server.
  hostname: { flags: '-I -s --all-ip-addresses --short' },
  uname: { flags: '-a -i -m -n -o -p -r -s -v --all --machine --nodename --operating-system --kernel-release' },
  arch: {},
  nproc: { flags: '--all --ignore=' },
  // Excludes -s and -c, which repeat.
  free: {
    flags: '-b -k -m -g -h -l -t -w --bytes --kibi --mebi --gibi --human --lohi --mega --giga --si --total --wide',
  },
  vmstat: { flags: '-a -d -D -f -m -n -s -S= -t -w', operands: /^\d+$/, maxOperands: 2, check: repeatsSeldom },
  lscpu: { flags: '-a -b -c -e=? -J -p=? -x --all --json --extended=? --parse=?' },
  lsblk: {
    flags:
      '-a -b -d -D -f -i -J -l -m -n -o= -O -p -P -r -S -t --all --bytes --nodeps --fs --json --list --noheadings --output= ' +
      '--paths --topology',
  },
  ps: readPsArguments,
  pgrep: {
    flags:
      '-a -c -d= -f -g= -G= -i -l -n -o -P= -s= -t= -u= -U= -v -w -x --count --full --list-name --list-full --exact',
    operands: 'any',
    maxOperands: 1,
  },
  top: { flags: '-b -c -d= -e= -E= -H -i -n= -o= -p= -S -u= -U= -w=? -1', check: endsSoon },
  // Excludes -r (repeats), -D (writes a cache) and +D; a host after @ would ask the name server.
  lsof: {
    separate: true,
    flags: '-a -b -c= -d= -i=? -l -n -N -p= -P -R -t -u= -U -w',
    operands: /^(?:[46]?(?:tcp|udp|TCP|UDP)?(?::[0-9,-]+)?|\/[\w./-]*)$/,
    hardening: ['-n'], // keeps lsof from asking the name server
  },
  // Excludes -K (kills), -D (writes a file), -F (reads a file), -E (never ends), -r (asks the name server).
  ss: {
    flags:
      '-4 -6 -a -b -e -h -H -i -l -m -n -o -O -p -s -t -T -u -w -x -z -Z --all --listening --numeric --oneline ' +
      '--options --processes --extended --memory --info --summary --tcp --udp --unix --raw --ipv4 --ipv6 --no-header',
    operands: /^(state|established|listening|sport|dport|=|:\d+)$/,
  },
  // Excludes -c, which never ends.
  netstat: {
    flags:
      '-4 -6 -a -e -g -i -l -M -n -N -o -p -r -s -t -u -U -v -w -W -x --all --listening --numeric --programs --tcp --udp',
    hardening: ['-n'], // keeps netstat from asking the name server
  },
  ip: readIpArguments,
  // Excludes -H and -M (other machines), --root and --image (other files).
  systemctl: {
    flags:
      '-a -l -n= -o= -q -t= --all --failed --full --lines= --no-legend --no-pager --output= --plain --quiet --state= --type= ' +
      '--user --reverse',
    operands: /^[\w@:.\\-]+$/,
    check: (parsed) => looksOnly(parsed) ?? showsFewFields(parsed),
    hardening: ['--no-pager'],
  },
  // Excludes -f (never ends), --vacuum, --rotate, --flush, --sync, --setup-keys, -D, --file, --root, -M.
  journalctl: {
    flags:
      '-a -b=? -e -g= -k -l -n= -o= -p= -q -r -S= -t= -u= -U= -x --all --boot=? --catalog --dmesg --grep= --identifier= ' +
      '--lines= --list-boots --disk-usage --no-full --no-hostname --no-pager --output= --priority= --quiet --reverse --since= ' +
      '--unit= --until= --user-unit= --utc --case-sensitive=?',
    check: showsFewFields,
    hardening: ['--no-pager'],
  },
  // Excludes -c, -C, -D, -E and -n (change the log), -w (never ends), -H (starts a pager).
  dmesg: {
    flags: '-d -e -f= -k -l= -L=? -P -r -t -T -u -x --ctime --decode --kernel --level= --facility= --userspace',
  },
  true: {},
  false: {},
};
