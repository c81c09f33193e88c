import { isSecretName } from './assignments.ts';
import { findSecrets } from './find.ts';
import { isFalsePositive } from './false-positives.ts';
import { redactPersonal } from './personal.ts';

/** What stands in the place of a secret. */
export const SECRET = '[secret]';

/** Values that are deeper are dropped: nothing of ours is nested so far. */
const DEEPEST = 40;

/**
 * Two generations of texts in which nothing was found: the same instructions, names, ids and results go through here many times in a
 * turn. A text with a secret is never among them.
 */
const clean = { young: new Set<string>(), old: new Set<string>(), youngSize: 0 };
/** Characters of one generation, with what each text costs besides: both stay below some 16 MB. */
const GENERATION_SIZE = 4_000_000;
const SIZE_BESIDES = 100;
const LONGEST_CLEAN = 50_000;

/** The text with `[secret]` in the place of each secret; the same text when there is none. Idempotent. */
export function redactText(text: string): string {
  if (clean.young.has(text)) return text;
  const found = clean.old.has(text) ? [] : findSecrets(text);
  if (found.length === 0) {
    if (text.length <= LONGEST_CLEAN) noteClean(text);
    return text;
  }
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end } of found) {
    pieces.push(text.slice(from, start), SECRET);
    from = end;
  }
  return pieces.join('') + text.slice(from);
}

function noteClean(text: string): void {
  if (clean.youngSize >= GENERATION_SIZE) {
    clean.old = clean.young;
    clean.young = new Set();
    clean.youngSize = 0;
  }
  clean.young.add(text);
  clean.youngSize += text.length + SIZE_BESIDES;
}

/** Redacts for a log line: secrets, and personal data. */
export function redactForLog(text: string): string {
  return redactPersonal(redactText(text));
}

/**
 * A JSON value with every string in it redacted, keys too; what a field holds whose name says that it is secret goes as a whole.
 * The same value when nothing was redacted, else a copy; dates and bytes in it are left as they are.
 */
export function redactValue<T>(value: T, redact: (text: string) => string = redactText): T {
  return redactDeep(value, redact, 0) as T; // strings stay strings, and everything else keeps its shape
}

function redactDeep(value: unknown, redact: (text: string) => string, depth: number): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEEPEST) return '[too deep]';
  if (value instanceof Date || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) {
    const members = value.map((one) => redactDeep(one, redact, depth + 1));
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
