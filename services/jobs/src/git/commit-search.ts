import { ObjectReader } from '@signalbox/analysis/git/object-reader';
import { MAX_SEARCH_PLACES, type RepositorySearchResult } from '@signalbox/contracts/repository/reading';
import { MIB } from '@signalbox/contracts/size';
import { redactText } from '@signalbox/safety/redact/redact';
import {
  createPathNotFound,
  findEntry,
  joinFolder,
  MAX_CHARACTERS,
  MAX_FILE_BYTES,
  readGit,
  readTextLines,
  type CommitReadDeps,
} from './commit-files.ts';
import type { FetchedCommit } from './sources.ts';

const OUTPUT_BYTES = 2 * MIB;
/** Of one file, at most this many places are returned, so that one file does not hide the others. */
const PLACES_OF_FILE = 8;
/** Maximum characters of a line, around the first word. */
const LINE_LENGTH = 240;
const BEFORE_WORD = 80;

interface Place {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/**
 * Finds the lines of a commit that contain all words, in upper or lower case; words are never patterns. A line that matched only by a
 * secret is left out, so that a person cannot find a secret by guessing. Throws NOT_FOUND (the path).
 */
export async function searchCommit(
  deps: CommitReadDeps,
  place: FetchedCommit,
  { words, path }: { readonly words: readonly string[]; readonly path: string },
  signal: AbortSignal,
): Promise<RepositorySearchResult> {
  const full = joinFolder(place, path);
  if ((await findEntry(deps, place, full, signal)) === null) throw await createPathNotFound(deps, place, path, signal);
  const patterns = words.flatMap((word, n) => [...(n === 0 ? [] : ['--and']), '-e', word]);
  const options = ['-z', '-n', '-I', '-F', '-i', '--full-name', '--no-color', '--no-textconv'];
  const within = full === '' ? [] : ['--', full];
  const { stdout } = await readGit(deps, place, ['grep', ...options, ...patterns, place.commit, ...within], {
    signal,
    maxBytes: OUTPUT_BYTES,
    codes: [0, 1],
  });
  const found = parseMatches(stdout.toString('utf8'), `${place.commit}:`);
  const { places, hidden } = await showPlaces(deps, place, found, words, signal);
  const prefix = place.folder === null ? '' : `${place.folder}/`;
  return {
    kind: 'found',
    commit: place.commit,
    places: places.map((one) => ({ ...one, path: redactText(one.path.slice(prefix.length)).slice(0, 2_000) })),
    total: found.length - hidden,
    files: new Set(found.map((one) => one.path)).size,
    isCut: stdout.length >= OUTPUT_BYTES,
  };
}

/** Parses `<commit>:<path> NUL <line> NUL <text> LF`. The last match may be cut. */
function parseMatches(output: string, prefix: string): readonly Place[] {
  const found: Place[] = [];
  for (let at = 0; at < output.length;) {
    const pathEnd = output.indexOf('\0', at);
    const lineEnd = output.indexOf('\0', pathEnd + 1);
    if (pathEnd < 0 || lineEnd < 0) break;
    const end = output.indexOf('\n', lineEnd);
    const [path, line] = [output.slice(at + prefix.length, pathEnd), Number(output.slice(pathEnd + 1, lineEnd))];
    found.push({ path, line, text: output.slice(lineEnd + 1, end < 0 ? undefined : end) });
    at = end < 0 ? output.length : end + 1;
  }
  return found;
}

/** Redacts the places of an answer. Secrets may span lines, so the whole file is redacted. */
async function showPlaces(
  { path }: CommitReadDeps,
  { mirror, commit }: FetchedCommit,
  found: readonly Place[],
  words: readonly string[],
  signal: AbortSignal,
): Promise<{ readonly places: readonly Place[]; readonly hidden: number }> {
  const places: Place[] = [];
  const files = new Map<string, { readonly lines: readonly string[] | null; shown: number }>();
  let [room, hidden] = [MAX_CHARACTERS, 0];
  const reader = new ObjectReader({ dir: mirror, path, signal });
  try {
    for (const place of found) {
      if (places.length >= MAX_SEARCH_PLACES) break;
      const file = files.get(place.path) ?? { lines: await readLines(reader, commit, place.path), shown: 0 };
      files.set(place.path, file);
      if (file.shown >= PLACES_OF_FILE) continue;
      const text = file.lines?.[place.line - 1] ?? redactText(place.text);
      if (!words.every((word) => text.toLowerCase().includes(word.toLowerCase()))) {
        hidden += 1;
        continue;
      }
      const shown = cutAround(text, words[0] ?? '');
      room -= place.path.length + shown.length + 20;
      if (room < 0) break;
      file.shown += 1;
      places.push({ ...place, text: shown });
    }
  } finally {
    reader.close();
  }
  return { places, hidden };
}

/** Null for a file that is too large to redact as a whole. */
async function readLines(reader: ObjectReader, commit: string, path: string): Promise<readonly string[] | null> {
  const content = (await reader.read(`${commit}:${path}`, MAX_FILE_BYTES))?.content;
  return content && content.length < MAX_FILE_BYTES ? readTextLines(content) : null;
}

function cutAround(line: string, word: string): string {
  const text = line.trim();
  if (text.length <= LINE_LENGTH) return text;
  const from = Math.max(0, text.toLowerCase().indexOf(word.toLowerCase()) - BEFORE_WORD);
  const part = text.slice(from, from + LINE_LENGTH).toWellFormed();
  return `${from > 0 ? '…' : ''}${part}${from + LINE_LENGTH < text.length ? '…' : ''}`;
}
