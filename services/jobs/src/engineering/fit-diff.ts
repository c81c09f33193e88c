import { REDACTED, redactLines } from '@signalbox/safety/redact/redact';
import { refuseDiff } from '../workspace/diff.ts';
import type { FileVersions } from '../workspace/write-diff.ts';

/*
 * Models count lines badly. The hunks of their diffs are placed by what they show: at the named line when that fits, else at the only
 * place that fits. Nothing is guessed: a hunk that fits nowhere or in several places is refused.
 */

interface LooseHunk {
  readonly from: number;
  readonly old: string[];
  readonly new: NewLine[];
}

/** A line after the change: an added text, or the line at this place of `old`, which stays as the file has it. */
type NewLine = string | number;

interface LooseFile {
  readonly path: string;
  readonly isNew: boolean;
  readonly isGone: boolean;
  readonly hunks: LooseHunk[];
}

const MAX_FILES = 50;
const HIDDEN = `it changes a line that shows ${REDACTED}, whose real value you do not see; such a line can only stay as it is`;

/** Reads a unified diff of a model and fits it to the files. `read`: the text of a file, null for none. Throws DIFF_REFUSED. */
export async function fitDiff(
  diff: string,
  read: (path: string) => Promise<string | null>,
): Promise<readonly FileVersions[]> {
  const files = parseLoosely(diff);
  if (files.length === 0) refuseDiff('it names no file');
  if (files.length > MAX_FILES) refuseDiff(`it changes more than ${MAX_FILES} files`);
  const fitted: FileVersions[] = [];
  for (const file of files) {
    if (fitted.some(({ path }) => path === file.path)) refuseDiff(`it changes ${file.path} twice`);
    const before = await read(file.path);
    if (file.isNew && before !== null) refuseDiff(`${file.path} exists already`);
    if (!file.isNew && before === null) refuseDiff(`${file.path} does not exist`);
    const after = file.isGone ? null : placeHunks(file, before ?? '');
    if (after === before) refuseDiff(`it changes nothing in ${file.path}`);
    fitted.push({ path: file.path, before, after });
  }
  return fitted;
}

function parseLoosely(diff: string): readonly LooseFile[] {
  const files: LooseFile[] = [];
  let from: string | null = null;
  let hunk: LooseHunk | null = null;
  const lines = diff.replace(/\n$/, '').split('\n');
  for (const [at, line] of lines.entries()) {
    const isHeading = line.startsWith('--- ') && (lines[at + 1] ?? '').startsWith('+++ ');
    if (/^(?:diff --git |index |(?:new|deleted) file mode |Index: |={3,})/.test(line)) hunk = null;
    else if (/^(?:rename|copy) (?:from|to) |^GIT binary patch|^Binary files /.test(line))
      refuseDiff('it renames, copies or holds a binary file; delete one file and create the other');
    else if (isHeading) [from, hunk] = [nameOf(line), null];
    else if (line.startsWith('+++ ') && from !== null) {
      const to = nameOf(line);
      const path = to === NOWHERE ? stripPrefix(from) : stripPrefix(to);
      if (from !== NOWHERE && to !== NOWHERE && stripPrefix(from) !== stripPrefix(to))
        refuseDiff(`it renames ${stripPrefix(from)}; delete one file and create the other`);
      files.push({ path, isNew: from === NOWHERE, isGone: to === NOWHERE, hunks: [] });
      from = null;
    } else if (line.startsWith('@@')) {
      hunk = { from: Number(/^@@ -(\d+)/.exec(line)?.[1] ?? 0), old: [], new: [] };
      const file = files.at(-1) ?? refuseDiff(`line ${at + 1} of it is no part of a file`);
      file.hunks.push(hunk);
    } else if (hunk !== null) addLine(hunk, line);
    else if (line.trim() !== '') refuseDiff(`line ${at + 1} of it is no part of a diff`);
  }
  return files;
}

const NOWHERE = '/dev/null';

function nameOf(line: string): string {
  return line.slice(4).split('\t')[0]?.trim() ?? '';
}

function stripPrefix(name: string): string {
  return name.replace(/^[ab]\//, '');
}

function addLine(hunk: LooseHunk, line: string): void {
  const [sign, text] = [line.charAt(0), line.slice(1)];
  if (sign === '\\') return;
  if (sign === '+') hunk.new.push(text);
  else if (sign === '-') hunk.old.push(text);
  else if (sign === ' ' || line === '') {
    // Some models leave the space of an empty context line out.
    hunk.new.push(hunk.old.length);
    hunk.old.push(text);
  } else refuseDiff(`“${line.slice(0, 60)}” begins with none of space, + and -`);
}

function placeHunks({ path, isNew, hunks }: LooseFile, before: string): string {
  if (hunks.length === 0) refuseDiff(`it changes nothing in ${path}`);
  const added = hunks.flatMap((hunk) => hunk.new.filter((line) => typeof line === 'string'));
  if (!before.includes(REDACTED) && added.some((line) => line.includes(REDACTED))) refuseDiff(HIDDEN);
  if (isNew) return `${hunks.flatMap((hunk) => writeNew(hunk, hunk.old)).join('\n')}\n`;
  const endsWithBreak = before.endsWith('\n') || before === '';
  let lines = (endsWithBreak ? before.slice(0, -1) : before).split('\n');
  if (before === '') lines = [];
  let moved = 0;
  for (const [place, hunk] of hunks.entries()) {
    const at = findPlace(lines, hunk, hunk.from - 1 + moved, `hunk ${place + 1} of ${path}`);
    const end = at + hunk.old.length;
    lines = [...lines.slice(0, at), ...writeNew(hunk, lines.slice(at, end)), ...lines.slice(end)];
    moved += hunk.new.length - hunk.old.length;
  }
  return lines.length === 0 ? '' : `${lines.join('\n')}${endsWithBreak ? '\n' : ''}`;
}

function writeNew(hunk: LooseHunk, old: readonly string[]): readonly string[] {
  return hunk.new.map((line) => (typeof line === 'string' ? line : (old[line] ?? '')));
}

function findPlace(lines: readonly string[], hunk: LooseHunk, stated: number, name: string): number {
  const { old, from } = hunk;
  // A hunk that shows nothing of the file stands behind the named line.
  if (old.length === 0) return Math.min(Math.max(0, stated + (from === 0 ? 0 : 1)), lines.length);
  const kept = new Set(hunk.new.filter((line) => typeof line === 'number'));
  const shown = old.some((line) => line.includes(REDACTED)) ? redactLines(lines.join('\n')) : lines;
  // A line fits too as the node has seen it; then it must stay.
  const fits = (at: number): boolean =>
    old.every(
      (line, offset) => lines[at + offset] === line || (line.includes(REDACTED) && shown[at + offset] === line),
    );
  const removesHidden = (at: number): boolean =>
    old.some((line, offset) => !kept.has(offset) && lines[at + offset] !== line);
  if (stated >= 0 && fits(stated)) return removesHidden(stated) ? refuseDiff(HIDDEN) : stated;
  const places = lines.flatMap((_, at) => (fits(at) ? [at] : []));
  const [only, ...others] = places;
  if (only !== undefined && others.length === 0) return removesHidden(only) ? refuseDiff(HIDDEN) : only;
  if (only !== undefined) refuseDiff(`${name} fits in ${places.length} places; show more lines around it`);
  const near = old.find((line) => line.trim() !== '' && !lines.includes(line));
  return refuseDiff(
    `${name} fits nowhere${near === undefined ? '' : `: the file has no line “${near.slice(0, 120)}”`}; read the file again`,
  );
}
