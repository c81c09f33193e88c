import '../wasm-guard.ts';
import { parse, type Word, type WordPart } from 'unbash';
import { startShfmt } from './shfmt.ts';
import type { ShellWord } from './words.ts';

/**
 * What unbash makes of a command: the argv vectors of its only pipeline, or null when it is anything else. A word with an
 * expansion, a pattern, an assignment or a redirection makes it null.
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
 * Whether the parser of shfmt (mvdan/sh) reads the same words as we do. Its tree is given without words, so it is asked twice:
 * it prints the command, where one space between our words and one ` | ` between our commands must be all that is left; and it
 * reads every word alone, as the target of a redirection, for which it does tell the parts.
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
  // The type is checked in the line above; assignments, which have no value, are the other kind of argument.
  const { parts = [] } = word as Word;
  return parts.every(isLiteralPart);
}

function isLiteralPart(part: WordPart): boolean {
  if (part.type === 'DoubleQuoted') return part.parts.every(({ type }) => type === 'Literal');
  return part.type === 'Literal' || part.type === 'SingleQuoted';
}

/** What one part of a word stands for, by the rules of quotes. A part that begins like an expansion stands for nothing. */
function unquote(part: string): string | null {
  if (part.startsWith("'")) return part.slice(1, -1);
  if (part.startsWith('"')) return part.slice(1, -1).replace(/\\(["\\$`])/g, '$1');
  return /^[$`<>]/.test(part) ? null : part.replace(/\\(.)/g, '$1');
}
