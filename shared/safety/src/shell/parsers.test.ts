import { describe, expect, it } from 'vitest';
import { agreesWithShfmt, parseWithUnbash } from './parsers.ts';
import { splitWords, type ShellWord } from './words.ts';

const words = (...raw: readonly string[]): readonly ShellWord[] => raw.map((text) => ({ raw: text, value: text }));

describe('parseWithUnbash', () => {
  it('returns the words of each command in a pipeline', () => {
    expect(parseWithUnbash(`a 'b c' "d" | e\\ f`)).toEqual([['a', 'b c', 'd'], ['e f']]);
  });

  it.each([
    'a; b',
    'a && b',
    'a &',
    'a |& b',
    '! a',
    'time a',
    'a > b',
    'x=1 a',
    'a $b',
    'a "$(b)"',
    'a *',
    '(a)',
    'a {b,c}',
    'if',
  ])('returns null for a command with other shell syntax: %s', (command) => {
    expect(parseWithUnbash(command)).toBeNull();
  });
});

describe('agreesWithShfmt', () => {
  it.each([`ls -la`, `grep 'a b' "c\\"d" e\\ f 'g'"h"i | wc -l`, 'echo a=b HEAD~1 -- -x'])(
    'is true when shfmt splits the command into the same words: %s',
    (command) => {
      const { commands } = splitWords(command);
      expect(commands && agreesWithShfmt(command, commands)).toBe(true);
    },
  );

  it.each([
    ['one word is two', 'ls a b', [words('ls', 'a b')]],
    ['two words are one', `ls 'a b'`, [words('ls', `'a`, `b'`)]],
    ['a pipe is a word', 'ls | wc', [words('ls', '|', 'wc')]],
    ['a word is missing', 'ls a', [words('ls')]],
    ['a value is another', `ls 'a'`, [[...words('ls'), { raw: `'a'`, value: 'b' }]]],
    ['an expansion is text', 'ls $a', [words('ls', '$a')]],
    ['a redirection is a word', 'ls >a', [words('ls', '>a')]],
    ['a comment is a word', 'ls #a', [words('ls', '#a')]],
    ['it is negated', '! ls', [words('ls')]],
    ['it runs in the background', 'ls &', [words('ls')]],
    ['it is two lines', 'ls\ndate', [words('ls'), words('date')]],
  ])('is false when %s', (_, command, commands) => {
    expect(tryAgree(command, commands)).not.toBe(true);
  });
});

/** Errors for text that is no command count as disagreement. */
function tryAgree(command: string, commands: readonly (readonly ShellWord[])[]): boolean {
  try {
    return agreesWithShfmt(command, commands);
  } catch {
    return false;
  }
}
