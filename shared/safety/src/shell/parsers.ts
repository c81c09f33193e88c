import '../wasm-guard.ts';
import { parse, type Word, type WordPart } from 'unbash';
import { startShfmt } from './shfmt.ts';
import type { ShellWord } from './words.ts';

/**
 * Parses a command with unbash into the argument lists of its only pipeline. Null for anything else, such as expansions, patterns,
 * assignments and redirections.
 */
export function parseWithUnbash(command: string): readonly (readonly string[])[] | null {
  const script = parse(command);
  const [statement] = script.commands;
  if (!statement || script.commands.length > 1 || script.errors?.length || statement.background) return null;
  const node = statement.command;
  if (node.type === 'Pipeline' && (node.prefixes.length > 0 || node.operators.some((operator) => operator !== '|')))
    return null;
  const commands = node.type === 'Pipeline' ? node.commands : [node];
  const vectors: (readonly string[])[] = [];
  for (const part of commands) {
    if (part.type !== 'Command' || !part.name || part.prefix.length > 0 || part.redirects.length > 0) return null;
    const words = [part.name, ...part.args];
    if (!words.every(isLiteral)) return null;
    vectors.push(words.map(({ value }) => value));
  }
  return vectors;
}

/**
 * True when shfmt (mvdan/sh) reads the same words. Its tree lacks words, so it is called twice: to print the command, which must equal
 * our words joined by spaces and ` | `; and to parse each word as the target of a redirection.
 */
export function agreesWithShfmt(command: string, commands: readonly (readonly ShellWord[])[]): boolean {
  const shfmt = startShfmt();
  const expected = commands.map((words) => words.map(({ raw }) => raw).join(' ')).join(' | ');
  if (shfmt({ text: command, print: true }).text !== `${expected}\n`) return false;
  const words = commands.flat();
  const text = words.map(({ raw }) => `>${raw}`).join(' ');
  const { file } = shfmt({ text, print: false });
  const [statement] = file.Stmts ?? [];
  const redirects = statement?.Redirs ?? [];
  if (file.Stmts?.length !== 1 || statement?.Cmd || redirects.length !== words.length) return false;
  return redirects.every(({ Op, N, Word }, index) => {
    const word = words[index];
    if (!word || Op !== '>' || N || text.slice(Word.Pos.Offset, Word.End.Offset) !== word.raw) return false;
    const values = (Word.Parts ?? []).map(({ Pos, End }) => unquote(text.slice(Pos.Offset, End.Offset)));
    return !values.includes(null) && values.join('') === word.value;
  });
}

function isLiteral(word: { readonly type: string }): word is Word {
  if (word.type !== 'Word') return false;
  // The type was checked above; assignments, which have no value, are the other kind of argument.
  const { parts = [] } = word as Word;
  return parts.every(isLiteralPart);
}

function isLiteralPart(part: WordPart): boolean {
  if (part.type === 'DoubleQuoted') return part.parts.every(({ type }) => type === 'Literal');
  return part.type === 'Literal' || part.type === 'SingleQuoted';
}

/** Returns the value of one part of a word by the quoting rules; null for an expansion. */
function unquote(part: string): string | null {
  if (part.startsWith("'")) return part.slice(1, -1);
  if (part.startsWith('"')) return part.slice(1, -1).replace(/\\(["\\$`])/g, '$1');
  return /^[$`<>]/.test(part) ? null : part.replace(/\\(.)/g, '$1');
}
