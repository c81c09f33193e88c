import { isSecretName } from './assignments.ts';
import { findSecrets } from './find.ts';
import { isFalsePositive } from './false-positives.ts';
import { redactPersonal } from './personal.ts';

/** Replacement of a secret. */
export const SECRET = '[secret]';

/** Deeper values are dropped; none of ours are nested this deep. */
const MAX_DEPTH = 40;

/**
 * Two generations of texts without secrets: the same instructions, names and results are redacted many times per turn. Never holds a text
 * with a secret.
 */
const clean = { young: new Set<string>(), old: new Set<string>(), youngSize: 0 };
/** Characters per generation, including overhead per text: both take at most 16 MB. */
const GENERATION_SIZE = 4_000_000;
const ENTRY_OVERHEAD = 100;
const MAX_CACHED_LENGTH = 50_000;

/** Replaces each secret by `[secret]`; returns the same text without one. Idempotent. */
export function redactText(text: string): string {
  if (clean.young.has(text)) return text;
  const matches = clean.old.has(text) ? [] : findSecrets(text);
  if (matches.length === 0) {
    if (text.length <= MAX_CACHED_LENGTH) cacheClean(text);
    return text;
  }
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end } of matches) {
    pieces.push(text.slice(from, start), SECRET);
    from = end;
  }
  return pieces.join('') + text.slice(from);
}

function cacheClean(text: string): void {
  if (clean.youngSize >= GENERATION_SIZE) {
    clean.old = clean.young;
    clean.young = new Set();
    clean.youngSize = 0;
  }
  clean.young.add(text);
  clean.youngSize += text.length + ENTRY_OVERHEAD;
}

/** Redacts secrets and personal data for a log line. */
export function redactForLog(text: string): string {
  return redactPersonal(redactText(text));
}

/**
 * Redacts every string and key of a JSON value; fields with secret names are replaced completely. Returns the same value when nothing was
 * redacted, else a copy; dates and bytes are kept.
 */
export function redactValue<T>(value: T, redact: (text: string) => string = redactText): T {
  return redactDeep(value, redact, 0) as T; // the shape is kept
}

function redactDeep(value: unknown, redact: (text: string) => string, depth: number): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '[too deep]';
  if (value instanceof Date || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) {
    const members = value.map((item) => redactDeep(item, redact, depth + 1));
    return members.every((member, index) => member === value[index]) ? value : members;
  }
  if ('toJSON' in value && typeof value.toJSON === 'function') return redactDeep(value.toJSON(), redact, depth + 1);
  let isSame = true;
  const members = Object.entries(value).map(([key, member]) => {
    const name = redact(key);
    const clean =
      typeof member === 'string' && isSecretField(key, member) ? SECRET : redactDeep(member, redact, depth + 1);
    isSame &&= name === key && clean === member;
    return [name, clean] as const;
  });
  return isSame ? value : Object.fromEntries(members);
}

function isSecretField(name: string, value: string): boolean {
  if (!isSecretName(name)) return false;
  const place = { start: 0, end: value.length, rest: value.length, text: value };
  return !isFalsePositive(value, { ...place, name: name.toLowerCase(), manner: 'colon', isQuoted: true });
}
