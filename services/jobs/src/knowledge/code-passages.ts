import { isDocumentation } from '@signalbox/analysis/analyzers/kinds-of-files';
import { findLanguage } from '@signalbox/analysis/analyzers/quality/source/languages';
import { redactLines } from '@signalbox/safety/redact/redact';
import { findSymbols, type CodeSymbol } from './code-symbols.ts';
import { splitMarkdown } from './passages.ts';
import { splitWords } from '@signalbox/contracts/identifier-words';

/** A passage of a file: its lines, and the words by which it is found. */
export interface CodePassage {
  /** The first line, from 1. */
  readonly line: number;
  /** The headings of a document, or the names that the code defines. */
  readonly heading: string;
  readonly content: string;
  readonly headingWords: string;
  readonly contentWords: string;
}

export interface SplitText {
  readonly passages: readonly CodePassage[];
  readonly symbols: readonly CodeSymbol[];
}

/** A text is split again under another version. */
const SPLIT_VERSION = '1';
/** A passage ends at a definition after this many lines, so that short functions stay together. */
const MIN_LINES = 6;
const MAX_LINES = 60;
const MAX_PASSAGE_LENGTH = 2_000;
const MAX_LINE_LENGTH = 400;
const MAX_PASSAGES = 400;
const MAX_NAMES = 12;
/** Lines that belong to the definition below them. */
const ABOVE = /^[ \t]*(?:\/\/|\/?\*|#(?!!|include|define|if|endif|else)|@[\w.]|--|"""|'''|template\b)/;

/** Returns how a file is split, with the version of that. Files of one content and one form have one index. Pure. */
export function getTextForm(path: string): { readonly form: string; readonly isDocs: boolean } {
  const isDocs = isProse(path);
  const form = isDocs ? 'docs' : (findLanguage(path)?.name ?? (/\.(\w{1,8})$/.exec(path)?.[1] ?? 'text').toLowerCase());
  return { form: `${form}#${SPLIT_VERSION}`, isDocs };
}

/** Splits a file into passages without secrets. Linear time. Pure. */
export function splitFile(path: string, whole: string): SplitText {
  // Secrets may span lines, so the file is redacted as a whole; lines keep their numbers.
  const lines = redactLines(whole.replaceAll('\r\n', '\n'));
  const text = lines.join('\n');
  if (isProse(path)) return { passages: splitProse(text, lines), symbols: [] };
  const symbols = findSymbols(path, text);
  return { passages: splitCode(lines, symbols), symbols };
}

function isProse(path: string): boolean {
  return (
    /\.(?:md|mdx|markdown|rst|adoc|asciidoc|rdoc|textile|org)$/i.test(path) ||
    (isDocumentation(path) && /\.txt$|^[^.]+$/i.test(path.slice(path.lastIndexOf('/') + 1)))
  );
}

function splitProse(text: string, lines: readonly string[]): readonly CodePassage[] {
  let at = 0;
  return splitMarkdown(text)
    .slice(0, MAX_PASSAGES)
    .map(({ heading, content }) => {
      const [own = ''] = content.split('\n', 1);
      const title = heading.slice(heading.lastIndexOf('›') + 1).trim();
      const find = (part: string): number =>
        part === '' ? -1 : lines.findIndex((line, n) => n >= at && line.includes(part));
      // A table is rewritten, so its own first line may not be found.
      const [first, below] = [find(own.slice(0, 60)), find(title)];
      const from = first < 0 ? below : first;
      if (from >= 0) at = from;
      return createPassage(Math.max(at, 0) + 1, heading, content);
    });
}

function splitCode(lines: readonly string[], symbols: readonly CodeSymbol[]): readonly CodePassage[] {
  const starts = new Set(symbols.map(({ line }) => findStart(lines, line)));
  const passages: CodePassage[] = [];
  let [from, length] = [0, 0];
  let around = '';
  const end = (to: number): void => {
    const content = lines.slice(from, to).map(cutLine).join('\n').trimEnd();
    const defined = symbols.filter(({ line }) => line > from && line <= to).map(({ name }) => name);
    const names = [...new Set([...(defined.length === 0 && around !== '' ? [around] : []), ...defined])];
    // A blank first line would put the place of a hit above its text.
    const blank = content.length - content.trimStart().length;
    const skipped = content.slice(0, blank).split('\n').length - 1;
    if (content.trim() !== '')
      passages.push(
        createPassage(
          from + skipped + 1,
          names.slice(0, MAX_NAMES).join(' '),
          content.split('\n').slice(skipped).join('\n'),
        ),
      );
    around = defined.at(-1) ?? around;
    [from, length] = [to, 0];
  };
  for (const [at, line] of lines.entries()) {
    const isFull = at - from >= MAX_LINES || length + line.length > MAX_PASSAGE_LENGTH;
    if (at > from && (isFull || (starts.has(at + 1) && at - from >= MIN_LINES))) end(at);
    if (passages.length >= MAX_PASSAGES) return passages;
    length += Math.min(line.length, MAX_LINE_LENGTH) + 1;
  }
  end(lines.length);
  return passages;
}

/** Returns the first line of a definition's comments and decorators. */
function findStart(lines: readonly string[], line: number): number {
  let at = line;
  while (at > 1 && line - at < MAX_LINES / 2 && ABOVE.test(lines[at - 2] ?? '')) at -= 1;
  return at;
}

function cutLine(line: string): string {
  return line.length <= MAX_LINE_LENGTH ? line : `${line.slice(0, MAX_LINE_LENGTH).toWellFormed()}…`;
}

function createPassage(line: number, heading: string, content: string): CodePassage {
  return { line, heading, content, headingWords: splitWords(heading), contentWords: splitWords(content) };
}
