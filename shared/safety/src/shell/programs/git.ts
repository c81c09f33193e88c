import {
  parseArguments,
  quote,
  type ArgumentReader,
  type ParsedArguments,
  type ProgramTable,
} from '../program-rule.ts';
import { findSecretPath } from '../secret-paths.ts';

/**
 * Options that override a repository's configuration, which can name programs: pager, file monitor, hooks, signature checker, transports.
 * `filter.*.clean` cannot be disabled here; see docs/shell.md.
 */
const HARDENING = [
  '--no-pager',
  '--no-optional-locks', // without this flag, status would write the index and run a hook for that
  ...[
    'core.fsmonitor=false',
    'core.hooksPath=/dev/null',
    'diff.autoRefreshIndex=false',
    'diff.submodule=short', // git would start in a submodule without these flags
    'status.submoduleSummary=false',
    'log.showSignature=false',
    'gpg.program=false',
    'gpg.openpgp.program=false',
    'gpg.x509.program=false',
    'gpg.ssh.program=false',
    'safe.bareRepository=explicit',
    'blame.ignoreRevsFile=', // the setting may name any file, which git would quote in its complaints
    'mailmap.file=',
    'diff.orderFile=/dev/null',
    ...['', '.ext', '.file', '.git', '.ssh', '.http', '.https'].map((protocol) => `protocol${protocol}.allow=never`),
  ].flatMap((setting) => ['-c', setting]),
];

const DIFF =
  '-p -u -s -w -b -z -U= -M=? -C=? -# --patch --no-patch --stat=? --shortstat --numstat --name-only --name-status --summary ' +
  '--raw --unified= --ignore-all-space --ignore-space-change --ignore-space-at-eol --ignore-blank-lines --word-diff=? ' +
  '--color=? --no-color --color-words --minimal --patience --histogram --diff-filter= --find-renames=? --no-renames ' +
  '--abbrev=? --full-index --check --text -a --relative=? --function-context -W --compact-summary --dirstat=?';
const LOG =
  `${DIFF} -n= -i -E -F -S= -G= --max-count= --skip= --oneline --graph --all --decorate=? --no-decorate --since= --until= ` +
  '--after= --before= --author= --committer= --grep= --merges --no-merges --first-parent --reverse --follow --format= ' +
  '--pretty=? --date= --abbrev-commit --no-abbrev-commit --branches=? --tags=? --remotes=? --topo-order --date-order ' +
  '--left-right --cherry-pick --no-notes --no-walk --parents --children --invert-grep --regexp-ignore-case';

interface Subcommand {
  readonly flags: string;
  /** False when git would take operands for names of something to create. */
  readonly operands: boolean;
  /** Flags added after the subcommand. */
  readonly hardening?: readonly string[];
  /** With one of these flags, operands are patterns and git creates nothing. */
  readonly listing?: readonly string[];
}

/** A repository's attributes can name programs for diffs and text conversion. */
const NO_DRIVERS = ['--no-ext-diff', '--no-textconv'];
/** Excludes submodules, in which git would start and whose configuration can name programs. */
const NOT_INSIDE = '--ignore-submodules=dirty';
/** Makes git fail outside of a repository, where it would compare any two files. Inside, the flag has no effect on a diff. */
const IN_REPOSITORY = '--topo-order';
/** Matches a path that may be outside of the repository, or standard input. */
const OUTSIDE = /^([/~]|-$|(.*[/:])?\.\.(\/|$))/;
const LISTING = ['--list', '--contains', '--no-contains', '--merged', '--no-merged', '--points-at'];

const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = {
  log: { flags: LOG, operands: true, hardening: NO_DRIVERS },
  show: { flags: LOG, operands: true, hardening: NO_DRIVERS },
  // Excludes --no-index, which reads outside of the repository.
  diff: {
    flags: `${DIFF} --cached --staged --merge-base --quiet --exit-code`,
    operands: true,
    hardening: [...NO_DRIVERS, NOT_INSIDE, IN_REPOSITORY],
  },
  // Excludes -v, which shows differences by programs that the attributes name; no flag prevents that.
  status: {
    flags:
      '-s -b -z -u=? --short --branch --porcelain=? --long --show-stash --untracked-files=? --ignored=? --ahead-behind ' +
      '--no-ahead-behind --no-renames',
    operands: true,
    hardening: [NOT_INSIDE],
  },
  // Excludes --contents and --ignore-revs-file, which read any file.
  blame: {
    flags:
      '-b -c -e -f -l -M=? -C=? -n -p -s -t -w -L= --root --date= --porcelain --line-porcelain --since= --abbrev= --show-email',
    operands: true,
    hardening: ['--no-textconv'],
  },
  branch: {
    flags:
      '-a -r -v -vv -i --all --remotes --verbose --list --show-current --contains --no-contains --merged --no-merged ' +
      '--points-at= --sort= --format= --abbrev=? --no-abbrev --no-color --color=? --no-column --ignore-case',
    operands: false,
    listing: LISTING,
  },
  tag: {
    flags:
      '-i -n=? --list --contains --no-contains --merged --no-merged --points-at= --sort= --format= --no-column --ignore-case',
    operands: false,
    listing: LISTING,
  },
  'rev-parse': {
    flags:
      '--abbrev-ref=? --short=? --verify --quiet -q --show-toplevel --is-inside-work-tree --git-dir --is-bare-repository',
    operands: true,
  },
  'rev-list': {
    flags: '-n= -# --count --max-count= --all --since= --until= --author= --merges --no-merges',
    operands: true,
  },
  'ls-files': {
    flags: '-c -d -m -o -s -t -z --cached --deleted --modified --others --stage --exclude-standard',
    operands: true,
  },
  'ls-tree': { flags: '-d -l -r -t -z --long --name-only --name-status --full-name', operands: true },
  describe: { flags: '--all --always --tags --long --abbrev= --match= --exclude= --exact-match', operands: true },
  shortlog: { flags: '-e -n -s --email --numbered --summary --no-merges --since= --until=', operands: true },
};

/** Parses git's arguments: global flags (`-c`, `-C`, `-p`, `--exec-path`, `--git-dir`) and modifying subcommands need a person. */
const readGitArguments: ArgumentReader = (given) => {
  const args = given[0] === '--no-pager' ? given.slice(1) : given;
  const [name = '', ...rest] = args;
  const subcommand = Object.hasOwn(SUBCOMMANDS, name) ? SUBCOMMANDS[name] : undefined;
  if (!subcommand) return { reason: `git ${quote(name)} is not on the list of what only reads.` };
  const parsed = parseArguments(`git ${name}`, subcommand.flags, rest);
  if ('reason' in parsed) return parsed;
  const problem = findProblem(name, subcommand, parsed);
  if (problem !== null) return { reason: problem };
  return { argv: [...HARDENING, name, ...(subcommand.hardening ?? []), ...rest] };
};

function findProblem(name: string, { operands, listing = [] }: Subcommand, parsed: ParsedArguments): string | null {
  const lists = operands || listing.some((flag) => parsed.flags.has(flag));
  if (!lists && parsed.operands.length > 0) return `git ${name} with a name may make something.`;
  const values = [...parsed.flags.values()].flat();
  // A program that the configuration names checks signatures.
  if (values.some((value) => value.includes('%G'))) return 'Its format checks signatures, which starts a program.';
  const outside = [...parsed.operands, ...(parsed.flags.get('--relative') ?? [])].find((word) => OUTSIDE.test(word));
  if (outside !== undefined) return `git ${name} with ${quote(outside)} may read outside of the repository.`;
  return findSecretPath(parsed.operands);
}

/** Allows git with read-only subcommands. */
export const GIT_PROGRAMS: ProgramTable = { git: readGitArguments };
