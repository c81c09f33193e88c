import { applyPatch, parsePatch } from 'diff';
import { AppError } from '@signalbox/contracts/errors';

type ParsedFile = ReturnType<typeof parsePatch>[number];
export interface FileDiff {
  readonly path: string;
  readonly change: 'created' | 'changed' | 'deleted';
  readonly added: number;
  readonly removed: number;
  readonly parsed: ParsedFile;
}

const NOWHERE = '/dev/null';
const ORDINARY_MODE = '100644';
const MAX_FILES = 200;

/** Parses a unified diff. Throws DIFF_REFUSED for malformed diffs, renames, modes, links, binary files and repeated files. */
export function readDiff(text: string): readonly FileDiff[] {
  if (/^(GIT binary patch|Binary files .* differ)/m.test(text)) refuseDiff('it changes a binary file');
  let parsed: readonly ParsedFile[];
  try {
    // The final line break of a diff is often lost in transit.
    parsed = parsePatch(text.endsWith('\n') ? text : `${text}\n`);
  } catch (error) {
    return refuseDiff(`it cannot be read: ${error instanceof Error ? error.message.slice(0, 200) : 'unknown reason'}`);
  }
  if (parsed.length === 0) refuseDiff('it names no file');
  requireNothingElse(text);
  if (parsed.length > MAX_FILES) refuseDiff(`it changes more than ${MAX_FILES} files`);
  const files = parsed.map(readFileDiff);
  const seen = new Set<string>();
  for (const { path } of files) {
    if (seen.has(path)) refuseDiff(`it changes ${path} twice`);
    seen.add(path);
  }
  return files;
}

/** Computes a file's text after its diff; null when deleted. Every hunk must match exactly. Throws DIFF_REFUSED. */
export function applyFileDiff(file: FileDiff, current: string | null): string | null {
  const { path, change, parsed } = file;
  if (change === 'created' && current !== null) refuseDiff(`${path} exists already`);
  if (change !== 'created' && current === null) refuseDiff(`${path} does not exist`);
  const lines = (current ?? '').split('\n');
  for (const [place, hunk] of parsed.hunks.entries()) {
    const problem = findMismatch(hunk, lines);
    if (problem !== null) refuseDiff(`hunk ${place + 1} of ${path} does not fit: ${problem}`);
  }
  const result = applyPatch(current ?? '', parsed, { fuzzFactor: 0, autoConvertLineEndings: false });
  if (result === false) return refuseDiff(`the hunks of ${path} do not fit; look at the end of the file`);
  if (change !== 'deleted') return result;
  if (result !== '') refuseDiff(`it deletes ${path}, but not all of its lines`);
  return null;
}

export function refuseDiff(detail: string): never {
  throw new AppError('DIFF_REFUSED', { detail });
}

/** Throws DIFF_REFUSED for text between hunks that is no heading: the parser would skip a mistyped heading with its hunks. */
function requireNothingElse(text: string): void {
  let [oldLeft, newLeft] = [0, 0];
  for (const [place, line] of text.split('\n').entries()) {
    if (line.startsWith('\\')) continue; // git's line "No newline at end of file"
    if (oldLeft > 0 || newLeft > 0) {
      if (!line.startsWith('+')) oldLeft -= 1;
      if (!line.startsWith('-')) newLeft -= 1;
      continue;
    }
    const counts = HUNK.exec(line);
    if (counts) [oldLeft, newLeft] = [Number(counts[1] ?? 1), Number(counts[2] ?? 1)];
    else if (!HEADING.test(line)) refuseDiff(`line ${place + 1} of it is no part of a diff`);
  }
}

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
const HEADING =
  /^(?:$|\s+$|diff |index |Index: |={3,}|--- |\+\+\+ |(?:old|new|new file|deleted file) mode |(?:dis)?similarity index |(?:rename|copy) (?:from|to) )/;

function readFileDiff(parsed: ParsedFile, place: number): FileDiff {
  const from = parsed.oldFileName;
  const to = parsed.newFileName;
  if (from === undefined || to === undefined || from === '' || to === '')
    return refuseDiff(`part ${place + 1} names no file`);
  const [oldName, newName] = withoutPrefixes(from, to);
  const path = newName === NOWHERE ? oldName : newName;
  if (path === NOWHERE) refuseDiff(`part ${place + 1} names no file`);
  if (
    parsed.isRename === true ||
    parsed.isCopy === true ||
    (oldName !== NOWHERE && newName !== NOWHERE && oldName !== newName)
  )
    refuseDiff(`it renames or copies ${oldName}; delete one file and create the other`);
  if (parsed.isBinary === true) refuseDiff(`${path} is a binary file`);
  requireOrdinary(parsed, path);
  if (parsed.hunks.length === 0) refuseDiff(`it changes nothing in ${path}`);
  const kept = newName === NOWHERE ? 'deleted' : 'changed';
  const change = oldName === NOWHERE ? 'created' : kept;
  const all = parsed.hunks.flatMap((hunk) => hunk.lines);
  const count = (sign: string): number => all.filter((line) => line.startsWith(sign)).length;
  return { path, change, added: count('+'), removed: count('-'), parsed };
}

function requireOrdinary({ oldMode, newMode }: ParsedFile, path: string): void {
  const odd = [oldMode, newMode].find((mode) => mode !== undefined && mode !== ORDINARY_MODE);
  if (odd === '120000') refuseDiff(`${path} is a link`);
  if (odd !== undefined || (oldMode !== undefined && newMode !== undefined && oldMode !== newMode))
    refuseDiff(`it changes the mode of ${path}`);
}

/** Strips git's prefixes `a/` and `b/` when both are present. */
function withoutPrefixes(from: string, to: string): readonly [string, string] {
  const hasPrefixes = (from === NOWHERE || from.startsWith('a/')) && (to === NOWHERE || to.startsWith('b/'));
  if (!hasPrefixes) return [from, to];
  const strip = (name: string): string => (name === NOWHERE ? name : name.slice(2));
  return [strip(from), strip(to)];
}

function findMismatch(hunk: ParsedFile['hunks'][number], lines: readonly string[]): string | null {
  const before = hunk.lines.filter((line) => line.startsWith(' ') || line.startsWith('-')).map((line) => line.slice(1));
  const start = hunk.oldStart - 1;
  if (start < 0 || start > lines.length) return `the file has ${lines.length} lines, it begins at ${hunk.oldStart}`;
  const wrong = before.findIndex((line, offset) => lines[start + offset] !== line);
  return wrong === -1 ? null : `line ${hunk.oldStart + wrong} of the file is not what it expects`;
}
