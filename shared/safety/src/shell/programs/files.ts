import type { ParsedArguments, ProgramTable } from '../program-rule.ts';

const SUMS = '-b -t -z --binary --text --tag --zero';

/** Rejects counts that would make tail run until the deadline. */
function endsByItself({ flags }: ParsedArguments): string | null {
  const [lines] = flags.get('-n') ?? flags.get('--lines') ?? [];
  return lines === undefined || /^[-+]?\d+[kKmMbB]?$/.test(lines) ? null : 'tail has a count that is no number.';
}

/** Programs that read files and folders. Comments explain which flags are excluded. */
export const FILE_PROGRAMS: ProgramTable = {
  ls: {
    flags:
      '-a -A -b -B -c -C -d -F -g -G -h -H -i -k -l -L -m -n -N -o -p -q -Q -r -R -s -S -t -u -U -v -x -X -Z -1 -I= -w= -T= ' +
      '--all --almost-all --author --directory --classify=? --file-type --full-time --group-directories-first --no-group ' +
      '--human-readable --si --dereference --ignore= --hide= --inode --numeric-uid-gid --recursive --reverse --size --sort= ' +
      '--time= --time-style= --color=? --format= --width= --block-size= --indicator-style= --quoting-style= --zero',
    operands: 'any',
  },
  cat: {
    flags:
      '-A -b -e -E -n -s -t -T -u -v --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs ' +
      '--show-nonprinting',
    operands: 'any',
  },
  head: { flags: '-c= -n= -q -v -z -# --bytes= --lines= --quiet --silent --verbose', operands: 'any' },
  // Excludes -f, -F, --follow and --retry, with which tail never ends.
  tail: {
    flags: '-c= -n= -q -v -z -# --bytes= --lines= --quiet --silent --verbose',
    operands: 'any',
    check: endsByItself,
  },
  zcat: { operands: 'any' },
  tac: { flags: '-b -r -s= --before --regex --separator=', operands: 'any' },
  nl: { flags: '-b= -f= -h= -i= -l= -n= -p -s= -v= -w= --body-numbering= --number-width=', operands: 'any' },
  od: { flags: '-A= -j= -N= -t= -v -w=? -a -b -c -d -f -i -l -o -s -x', operands: 'any' },
  stat: { flags: '-L -f -t -c= --dereference --file-system --terse --format= --printf=', operands: 'any' },
  // Excludes -f (a list of names from a file), -m (a magic file), -C (writes a magic file), -z (starts programs), -s (reads devices).
  file: { flags: '-b -i -h -k -L -N -r --brief --mime --mime-type --mime-encoding --no-dereference', operands: 'any' },
  du: {
    // Excludes --files0-from and -X, which read names from a file and print names that do not exist.
    flags:
      '-0 -a -b -c -d= -D -h -H -k -l -L -m -P -s -S -t= -x --all --apparent-size --bytes --total --max-depth= ' +
      '--human-readable --si --inodes --summarize --separate-dirs --threshold= --time=? --time-style= --exclude= ' +
      '--one-file-system --block-size= --null',
    operands: 'any',
  },
  df: {
    flags:
      '-a -B= -h -H -i -k -l -P -t= -T -x= --all --block-size= --human-readable --si --inodes --local --portability ' +
      '--total --type= --print-type --exclude-type= --output=?',
    operands: 'any',
  },
  // Excludes -o (writes a file), -R (writes an index into each folder) and --fromfile.
  tree: {
    separate: true,
    flags:
      '-a -A -C -D -d -f -F -g -h -i -I= -J -l -L= -n -N -p -P= -q -Q -r -s -S -t -u -U -v -x --dirsfirst --noreport --du ' +
      '--gitignore --prune --filelimit= --si --inodes --sort=',
    operands: 'any',
  },
  basename: { flags: '-a -s= -z --multiple --suffix= --zero', operands: 'any' },
  dirname: { flags: '-z --zero', operands: 'any' },
  readlink: {
    flags: '-e -f -m -n -q -s -v -z --canonicalize --canonicalize-existing --canonicalize-missing --no-newline',
    operands: 'any',
  },
  realpath: {
    flags:
      '-e -m -L -P -q -s -z --canonicalize-existing --canonicalize-missing --relative-to= --relative-base= --strip',
    operands: 'any',
  },
  // Excludes -c, which takes names from a list.
  md5sum: { flags: SUMS, operands: 'any' },
  sha1sum: { flags: SUMS, operands: 'any' },
  sha256sum: { flags: SUMS, operands: 'any' },
  sha512sum: { flags: SUMS, operands: 'any' },
  cksum: { operands: 'any' },
  pwd: { flags: '-L -P --logical --physical' },
};
