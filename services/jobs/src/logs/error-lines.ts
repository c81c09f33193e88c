import { createHash } from 'node:crypto';
import type { LogLine } from '@signalbox/contracts/operations/deploy';

export interface LineGroup {
  readonly fingerprint: string;
  readonly sample: string;
  readonly count: number;
  /** Time of the newest line in ISO 8601; null when unknown. */
  readonly at: string | null;
}

/** Maximum groups of errors per call; one more group counts all further errors. */
const MAX_GROUPS = 100;
const MAX_COMPARED_LENGTH = 2_000;
const SHAPE = 200;

/** Groups similar error lines, most frequent first. Pure. */
export function groupErrors(lines: readonly LogLine[]): readonly LineGroup[] {
  const groups = new Map<string, LineGroup>();
  for (const { line, at } of lines) {
    const said = readErrorMessage(line);
    if (said === null) continue;
    const own = getFingerprint(said);
    const fingerprint = groups.has(own) || groups.size < MAX_GROUPS ? own : getFingerprint('further kinds of errors');
    const count = (groups.get(fingerprint)?.count ?? 0) + 1;
    groups.set(fingerprint, { fingerprint, sample: said, count, at });
  }
  return [...groups.values()].sort((one, other) => other.count - one.count);
}

/** Returns the message of an error line; null for other lines. Understands JSON lines with a level. */
export function readErrorMessage(line: string): string | null {
  const text = line.slice(0, MAX_COMPARED_LENGTH);
  const entry = parseEntry(text);
  if (entry) return entry.isError ? entry.text : null;
  if (AROUND.test(text)) return null;
  if (DENIED.test(text)) return null;
  const level =
    /^[^a-z]*\b(trace|debug|info|notice|warn(?:ing)?|error|err|fatal|critical|crit|panic|emerg|alert)\b/i.exec(
      text,
    )?.[1];
  if (level) return SEVERE.test(level) ? text.trim() : null;
  return REPORTS.test(text) && !SOURCE.test(text) ? text.trim() : null;
}

/** Matches stack frames and Node's extra fields, which belong to the error above them. */
const AROUND = /^\s+(?:at\s|\.{3}\s*\d+ more|File "|code: ')|^Emitted '[^']*' event /;
/** Matches a quoted source line at the place of an error. */
const SOURCE = /^\s+(?:throw|raise)\b|\b(?:new|raise|throw)\s+[\w.]*(?:Error|Exception)\(/;
const SEVERE = /^(error|err|fatal|critical|crit|panic|emerg|alert)$/i;
const REPORTS =
  /\b(\w*(?:Error|Exception)|fatal|panic(?:ked)?|traceback|unhandled|uncaught|segmentation fault|out of memory|core dumped|failed|failure|E(?:CONN\w+|TIMEDOUT|NOTFOUND|PIPE|MFILE|NOSPC)|error)\b/i;
/** Matches lines that deny an error: "0 errors", "no error", "error: null". */
const DENIED =
  /\b(?:0|no|without(?: any)?)\s+(?:\w+\s+)?(?:errors?|failures?|failed)\b|\berrors?["']?\s*[:=]\s*(?:0|null|none|false|undefined|\[\]|"")(?![\w.])/i;

/** Returns the same hash for errors that differ only in numbers, ids, quotes, addresses and variable parts of paths. */
export function getFingerprint(text: string): string {
  return createHash('sha256').update(shapeOf(text)).digest('hex').slice(0, 16);
}

function shapeOf(text: string): string {
  return text
    .slice(0, MAX_COMPARED_LENGTH)
    .replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?/g, '<t>')
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<id>')
    .replace(/"[^"]{0,300}"|'[^'\n]{0,300}'|`[^`]{0,300}`|“[^”]{0,300}”/g, '<q>')
    .replace(/\b[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+\b/g, '<mail>')
    .replace(/\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b/g, '<ip>')
    .replace(/\?[^\s"']*/g, '')
    .replace(/\/[^\s"'()<>,;]*/g, shapeOfPath)
    .replace(/\w(?:[\w-]*\w)?/g, shapeOfWord)
    .replace(/\b0x[0-9a-f]+\b/gi, '<n>')
    .replace(/\d+(?:\.\d+)?/g, '<n>')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase()
    .slice(0, SHAPE);
}

/** A long word of digits and letters counts as an id. */
function shapeOfWord(word: string): string {
  return word.length >= 8 && /\d/.test(word) && /[a-z]/i.test(word) ? '<id>' : word;
}

/** Gives `/orders/8812/items` and `/orders/9/items` the same shape. */
function shapeOfPath(path: string): string {
  return path
    .split('/')
    .map((part) => (/\d/.test(part) || part.length > 24 ? '<v>' : part))
    .join('/');
}

function parseEntry(text: string): { readonly isError: boolean; readonly text: string } | null {
  if (!text.startsWith('{')) return null;
  try {
    const entry: unknown = JSON.parse(text);
    if (typeof entry !== 'object' || entry === null) return null;
    const { level, severity, msg, message, err, error } = entry as Record<string, unknown>; // A parsed JSON object has string keys.
    const said = [msg, message, nested(err), nested(error)].filter(
      (one): one is string => typeof one === 'string' && one !== '',
    );
    const grade = level ?? severity;
    if (grade === undefined && said.length === 0) return null;
    // In Pino's levels, 50 is an error.
    const isError = typeof grade === 'number' ? grade >= 50 : SEVERE.test(String(grade ?? ''));
    return { isError, text: [...new Set(said)].join(': ') || text };
  } catch {
    return null;
  }
}

function nested(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { message, name } = value as Record<string, unknown>; // any object of JSON
  return message ?? name;
}
