import { classifyCommand } from '@signalbox/safety/shell/classification';
import { PROGRAMS } from '@signalbox/safety/shell/programs';
import fc from 'fast-check';

/** How a word can be written; the last one leaves it as it is, which is not always the same word. */
export type Quoting = 'single' | 'double' | 'backslash' | 'bare';

/** Characters that mean something to a shell, and some that do not. */
export const SHELL_CHARACTERS = `ab1 .,:=/@%+-_|&;<>()$\`*?[]{}~!#^\\"'`.split('');

/** A word of a command, written so. */
export function quoteWord(word: string, quoting: Quoting): string {
  switch (quoting) {
    case 'single':
      return `'${word.replaceAll("'", String.raw`'\''`)}'`;
    case 'double':
      return `"${word.replace(/["\\$`]/g, String.raw`\$&`)}"`;
    case 'backslash':
      return word.replace(/[^A-Za-z0-9]/g, String.raw`\$&`);
    case 'bare':
      return word;
  }
}

/** Programs whose words are no list of flags and texts, or which need certain ones. */
const FORMS: Readonly<Record<string, readonly string[]>> = {
  find: [
    "find . -name '*;id'",
    "find a -type f -size +1k -o -path 'x y'",
    'find . -maxdepth 2 \\( -empty -or -newer b \\)',
    "find . ! -name '*;id' -exec grep -n 'x y' {} +",
    'find a -type f -exec wc -l {} \\; -exec basename {} ";"',
  ],
  xargs: ["find . -type f ! -name 'a b' | xargs grep -n 'a;b'", 'find a -print0 | xargs -0 -I {} stat {}'],
  git: ['git log -n 3 --format="%h $(id)"', "git show HEAD:'a b'", 'git diff --stat', "git branch --list 'x;y'"],
  ip: ['ip addr', 'ip -br link show dev eth0', 'ip -4 route'],
  sed: ["sed -n '2,$p' a.txt", 'sed -n 7p'],
  systemctl: ['systemctl status ssh.service', 'systemctl --failed'],
  top: ['top -b -n 1', 'top -b -n 2 -d 0.5'],
  vmstat: ['vmstat 1 2', 'vmstat -s'],
};

/** So many are made up for each program; most are not safe for one of its flags or words. */
const TRIES = 60;

/**
 * Commands that run unasked: some of every program of the list, alone and in pipelines, with words that a shell would do something
 * about if it got them. The same ones each time.
 */
export function listSafeCommands(each: number): readonly string[] {
  const odd = fc.string({ unit: fc.constantFrom(...SHELL_CHARACTERS), minLength: 1, maxLength: 10 });
  const quoting = fc.constantFrom<Quoting[]>('single', 'double', 'backslash');
  const word = fc.tuple(odd, quoting).map(([text, how]) => quoteWord(text, how));
  const alone = Object.keys(PROGRAMS).flatMap((name, seed) => {
    const flags = listFlags(name);
    const flag = flags.length === 0 ? fc.constant('') : fc.constantFrom(...flags);
    const written = fc
      .tuple(fc.array(flag, { maxLength: 2 }), fc.array(word, { maxLength: 2 }))
      .map((parts) => [name, ...parts.flat()].filter((part) => part !== '').join(' '));
    return takeSafe([...(FORMS[name] ?? []), ...fc.sample(written, { numRuns: TRIES, seed })], each);
  });
  // Behind some of them stands what is elsewhere in the list, so that programs meet that have nothing to do with each other.
  const piped = alone.flatMap((command, at) => {
    const [second = '', third = ''] = [alone[(at * 7 + 3) % alone.length], alone[(at * 11 + 5) % alone.length]];
    const parts = at % 2 === 0 ? [command, second, third] : [command, second];
    return at % 3 === 0 ? [parts.join(' | ')] : [];
  });
  return [...alone, ...piped.filter(runsUnasked)];
}

/** The first so many that run unasked, without looking at more than it takes. */
function takeSafe(tried: readonly string[], most: number): readonly string[] {
  const safe: string[] = [];
  for (const command of new Set(tried)) {
    if (safe.length === most) break;
    if (runsUnasked(command)) safe.push(command);
  }
  return safe;
}

export function runsUnasked(command: string): boolean {
  return classifyCommand(command).decision === 'run';
}

/** The flags of a program, each as it may be written; those with a value have an odd one. */
function listFlags(name: string): readonly string[] {
  const rule = PROGRAMS[name];
  if (rule === undefined || typeof rule === 'function') return [];
  return (rule.flags ?? '')
    .split(' ')
    .filter((flag) => flag !== '')
    .map((flag) =>
      flag
        .replace('-#', '-3')
        .replace(/^(--.*)=\??$/, "$1='a;b'")
        .replace(/^(-.)=$/, '$1 5')
        .replace('=?', ''),
    );
}
