import { posix } from 'node:path';
import { quote, type ParsedArguments, type ProgramTable } from '../program-rule.ts';
import { findSecretPath, holdsPrivateData, SECRET_FILES, SECRET_FOLDERS } from '../secret-paths.ts';

/** Flags that exclude files with secrets from recursive searches, which read files that the command does not name. */
const LEFT_OUT = SECRET_FILES.map((name) => `--exclude=${name}`);
const LEFT_OUT_FOLDERS = SECRET_FOLDERS.map((name) => `--exclude-dir=${name}`);

// Flags of grep. Excludes -R, which follows links out of the folder; -P can be slow, but commands have a deadline.
const GREP_FLAGS =
  '-a -b -c -E -F -G -H -h -i -I -l -L -n -o -P -q -r -s -T -v -w -x -y -z -Z -A= -B= -C= -e= -f= -m= -# ' +
  '--text --count --extended-regexp --fixed-strings --basic-regexp --perl-regexp --with-filename --no-filename ' +
  '--ignore-case --no-ignore-case --files-with-matches --files-without-match --line-number --only-matching --quiet ' +
  '--silent --recursive --no-messages --invert-match --word-regexp --line-regexp --after-context= --before-context= ' +
  '--context= --regexp= --file= --max-count= --include= --exclude= --exclude-dir= --color=? --colour=? --null';

const withoutFirst = ({ operands }: ParsedArguments): readonly string[] => operands.slice(1);
const none = (): readonly string[] => [];

/** Lists grep's paths: the first operand is the pattern, unless a flag gives the pattern. */
function listGrepPaths({ flags, operands }: ParsedArguments): readonly string[] {
  const files = [...(flags.get('-f') ?? []), ...(flags.get('--file') ?? [])];
  const given = files.length > 0 || flags.has('-e') || flags.has('--regexp');
  return [...files, ...operands.slice(given ? 0 : 1)];
}

function isRecursive({ flags }: ParsedArguments): boolean {
  return flags.has('-r') || flags.has('--recursive');
}

function isNarrow(parsed: ParsedArguments): string | null {
  if (!isRecursive(parsed)) return null;
  const wide = listGrepPaths(parsed).find(holdsPrivateData);
  return wide === undefined ? null : `A search through ${quote(wide)} meets what is private.`;
}

/** Checks the files that diff reads in folders: the file of the same name, or all files that are in both. */
function comparesWhatIsNamed({ operands }: ParsedArguments): string | null {
  const wide = operands.find(holdsPrivateData);
  if (wide !== undefined) return `A comparison with ${quote(wide)} meets what is private.`;
  const [one = '', other = ''] = operands;
  return findSecretPath([posix.join(one, posix.basename(other)), posix.join(other, posix.basename(one))]);
}

/** Checks a jq filter, which can read the environment and load other filters, but not write or start programs. */
function readsInputOnly({ operands: [filter = ''] }: ParsedArguments): string | null {
  return /\benv\b|(?<=\$\W*)ENV|\b(import|include|modulemeta|get_search_list)\b/i.test(filter)
    ? 'The filter of jq reads the environment or another file.'
    : null;
}

/** Allows sed only to print lines by number, because its commands can write files and start programs. */
function printsLines({ operands: [script = ''] }: ParsedArguments): string | null {
  return /^(\d+|\$)(,(\+?\d+|\$))?p$/.test(script) ? null : 'sed does more than print lines by their numbers.';
}

/** Programs that read text from files or the pipe. */
export const TEXT_PROGRAMS: ProgramTable = {
  grep: {
    flags: GREP_FLAGS,
    operands: 'any',
    paths: listGrepPaths,
    check: isNarrow,
    hardening: (parsed) => (isRecursive(parsed) ? [...LEFT_OUT, ...LEFT_OUT_FOLDERS] : []),
  },
  // Excludes -o (writes), --compress-program (starts), -T and -S (files elsewhere), --files0-from, --random-source.
  sort: {
    flags:
      '-b -c -C -d -f -g -h -i -k= -m -M -n -r -R -s -t= -u -V -z --ignore-leading-blanks --dictionary-order --ignore-case ' +
      '--general-numeric-sort --human-numeric-sort --key= --merge --month-sort --numeric-sort --reverse --stable ' +
      '--field-separator= --unique --version-sort --zero-terminated --check=?',
    operands: 'any',
  },
  // The second operand of uniq is the file that uniq writes.
  uniq: {
    flags:
      '-c -d -D -f= -i -s= -u -w= -z --count --repeated --skip-fields= --ignore-case --skip-chars= --unique --check-chars=',
    operands: 'any',
    maxOperands: 1,
  },
  wc: { flags: '-c -l -L -m -w --bytes --lines --max-line-length --chars --words', operands: 'any' },
  cut: {
    flags:
      '-b= -c= -d= -f= -s -z -n --bytes= --characters= --delimiter= --fields= --only-delimited --output-delimiter= ' +
      '--complement --zero-terminated',
    operands: 'any',
  },
  tr: {
    flags: '-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1',
    operands: 'any',
    paths: none,
    maxOperands: 2,
  },
  // Excludes -f and -L (filters from files), --slurpfile, --rawfile and --args.
  jq: {
    flags:
      '-a -c -C -e -j -M -n -r -R -s -S --ascii-output --compact-output --exit-status --join-output --monochrome-output ' +
      '--null-input --raw-output --raw-input --slurp --sort-keys --tab --indent=',
    separate: true,
    operands: 'any',
    paths: withoutFirst,
    check: readsInputOnly,
  },
  sed: { flags: '-n --quiet --silent', operands: 'any', paths: withoutFirst, check: printsLines },
  // Excludes -l, which starts pr; and -r and -N, which would print secrets in files that the command does not name.
  diff: {
    flags:
      '-a -b -B -c -C= -d -E -i -p -q -s -t -T -u -U= -w -W= -y -Z --brief --color=? --context=? --unified=? ' +
      '--side-by-side --suppress-common-lines --width= --ignore-case --ignore-all-space --ignore-blank-lines --text',
    operands: 'any',
    maxOperands: 2,
    check: comparesWhatIsNamed,
    hardening: LEFT_OUT, // diff compares two folders file by file
  },
  cmp: {
    flags: '-b -i= -l -n= -s --print-bytes --verbose --silent --quiet --bytes= --ignore-initial=',
    operands: 'any',
  },
  comm: { flags: '-1 -2 -3 -z --total --check-order --nocheck-order --output-delimiter=', operands: 'any' },
  column: { flags: '-c= -s= -t -x', operands: 'any' },
  paste: { flags: '-d= -s -z --delimiters= --serial', operands: 'any' },
  fold: { flags: '-b -s -w= --bytes --spaces --width=', operands: 'any' },
  echo: { flags: '-e -E -n', operands: 'any', paths: none },
};
