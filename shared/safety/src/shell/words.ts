/** A word of a command as written (`raw`) and as the program receives it (`value`). */
export interface ShellWord {
  readonly raw: string;
  readonly value: string;
}

/** The commands of a pipeline as lists of words; or the first reason why the text is no plain pipeline. */
export type SplitResult =
  { readonly commands: readonly (readonly ShellWord[])[] } | { readonly commands: null; readonly reason: string };

/** Matches characters without special meaning in any shell. */
const PLAIN = /^[A-Za-z0-9_@%+=:,./-]$/;
const PRINTABLE = /^[\x20-\x7e]$/;
/** Matches characters after which `~` and `^` belong to a revision such as `HEAD~2`; elsewhere `~` may be a home folder. */
const REVISION = /^[A-Za-z0-9_~^]$/;

/** The meaning of special characters outside of quotes. */
const MEANINGS: Readonly<Record<string, string>> = {
  ';': 'Several commands in a row (;) are decided by a person.',
  '&': 'Commands joined by &, && or started in the background are decided by a person.',
  '>': 'It writes to a file or another stream with >.',
  '<': 'It reads from a redirection or a here-document with <.',
  $: 'It expands a variable or the output of another command with $.',
  '`': 'It runs another command inside backquotes.',
  '(': 'It opens a subshell or a function with a parenthesis.',
  ')': 'It has a parenthesis outside of quotes.',
  '{': 'It groups or expands with braces; put quotes around what is meant literally.',
  '}': 'It has a brace outside of quotes; put quotes around what is meant literally.',
  '*': 'It leaves a file pattern (*) to the shell; put quotes around it or name the files.',
  '?': 'It leaves a file pattern (?) to the shell; put quotes around it or name the files.',
  '[': 'It leaves a file pattern ([) to the shell; put quotes around it or name the files.',
  ']': 'It has a bracket outside of quotes; put quotes around what is meant literally.',
  '~': 'It names a home folder with ~; write the whole path.',
  '^': 'It begins with ^, which some shells read as a command.',
  '!': 'It negates or repeats a command with !.',
  '#': 'It has a comment (#), which hides what is not run.',
};

/**
 * Splits a command into words by a grammar of plain characters, quotes, backslashes and `|`. Anything else gives a reason. Knows no
 * programs. Never throws; linear time.
 */
export function splitWords(command: string): SplitResult {
  const commands: ShellWord[][] = [[]];
  let at = 0;
  while (at < command.length) {
    const char = command.charAt(at);
    if (char === ' ') at += 1;
    else if (char === '|') {
      if (command[at + 1] === '|') return refuse('Commands joined by || are decided by a person.');
      if (command[at + 1] === '&') return refuse('It pipes errors together with the output (|&).');
      if (commands.at(-1)?.length === 0) return refuse('A command is missing before |.');
      commands.push([]);
      at += 1;
    } else {
      const word = readWord(command, at);
      if ('reason' in word) return refuse(word.reason);
      commands.at(-1)?.push({ raw: command.slice(at, word.end), value: word.value });
      at = word.end;
    }
  }
  if (commands.at(-1)?.length === 0)
    return refuse(commands.length > 1 ? 'A command is missing after |.' : 'There is no command.');
  return { commands };
}

type Piece = { readonly value: string; readonly end: number } | { readonly reason: string };

function readWord(text: string, start: number): Piece {
  let value = '';
  let at = start;
  const literal = readLiteral(text, start);
  if (literal !== null) return { value: literal, end: start + literal.length };
  while (at < text.length && text[at] !== ' ' && text[at] !== '|') {
    const piece = readPiece(text, at, start);
    if ('reason' in piece) return piece;
    value += piece.value;
    at = piece.end;
  }
  return { value, end: at };
}

/** Reads `{}` and `!` as literal words, which find needs; a leading `!`, which negates, is not literal. */
function readLiteral(text: string, start: number): string | null {
  const word = /^(\{\}|!)(?=[ |]|$)/.exec(text.slice(start, start + 3))?.[1] ?? null;
  return word !== null && /[^ |] +$/.test(text.slice(0, start)) ? word : null;
}

function readPiece(text: string, at: number, start: number): Piece {
  const char = text.charAt(at);
  if (PLAIN.test(char)) return { value: char, end: at + 1 };
  if (char === "'") return readSingleQuotes(text, at + 1);
  if (char === '"') return readDoubleQuotes(text, at + 1);
  if (char === '\\') return readEscape(text, at + 1);
  if ((char === '~' || char === '^') && at > start && REVISION.test(text.charAt(at - 1)))
    return { value: char, end: at + 1 };
  return { reason: MEANINGS[char] ?? describeUnusual(char) };
}

function readEscape(text: string, at: number): Piece {
  const char = text.charAt(at);
  return PRINTABLE.test(char)
    ? { value: char, end: at + 1 }
    : { reason: 'A backslash escapes the end of the line or an unusual character.' };
}

function readSingleQuotes(text: string, start: number): Piece {
  const end = text.indexOf("'", start);
  if (end === -1) return { reason: "A quote (') is not closed." };
  const value = text.slice(start, end);
  const stranger = [...value].find((char) => !PRINTABLE.test(char));
  return stranger === undefined ? { value, end: end + 1 } : { reason: describeUnusual(stranger) };
}

function readDoubleQuotes(text: string, start: number): Piece {
  let value = '';
  let at = start;
  while (at < text.length) {
    const char = text.charAt(at);
    if (char === '"') return { value, end: at + 1 };
    // A backslash in double quotes escapes only these four characters.
    const escaped = char === '\\' && '"\\$`'.includes(text[at + 1] ?? ' ');
    if (!escaped && (char === '$' || char === '`' || char === '!'))
      return { reason: MEANINGS[char] ?? describeUnusual(char) };
    if (!PRINTABLE.test(char)) return { reason: describeUnusual(char) };
    value += escaped ? text.charAt(at + 1) : char;
    at += escaped ? 2 : 1;
  }
  return { reason: 'A quote (") is not closed.' };
}

function describeUnusual(char: string): string {
  if (char === '\n' || char === '\r') return 'It has more than one line.';
  if (char < ' ' || char === '\x7f') return 'It has a tab or another control character.';
  return 'It has characters beyond ASCII, which can look like others.';
}

function refuse(reason: string): SplitResult {
  return { commands: null, reason };
}
