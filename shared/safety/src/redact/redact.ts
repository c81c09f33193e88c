import { isSecretName } from './assignments.ts';
import { findSecrets } from './find.ts';
import { isFalsePositive } from './false-positives.ts';

/** Maximum lengths of the local part and of the host of an e-mail address. */
const MAX_LOCAL_LENGTH = 64;
const MAX_HOST_LENGTH = 253;

const LOCAL = /(?<![\w.%+-])[\w.%+-]+$/;
const HOST = /^[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,8}\.[A-Za-z]{2,24}(?![\w-])/;
/** Matches accounts that belong to no person, such as `git@host`. */
const NO_PERSON = /(?:^|[^\w.%+-])(?:git|hg|noreply|no-reply)$/;

const PHONE =
  /(?<![\w+.:/-])(?:\+\d{1,3}[ .()-]{0,2}(?:\d[ .()-]{0,2}){6,12}\d|\(\d{3}\) ?\d{3}[ -]\d{4}|\d{3}-\d{3}-\d{4})(?![\w-])/g;

/** The text that replaces a secret. */
export const REDACTED = '[secret]';

/** Maximum depth of a value; deeper parts are dropped, and the product's values are not nested this deep. */
const MAX_DEPTH = 40;

/**
 * Caches texts without secrets in two generations: the same instructions, names and results are redacted many times per turn. Never holds
 * a text with a secret.
 */
const clean = { young: new Set<string>(), old: new Set<string>(), youngSize: 0 };
/** Maximum characters per generation, with overhead per text: both generations take at most 16 MB. */
const GENERATION_SIZE = 4_000_000;
const ENTRY_OVERHEAD = 100;
const MAX_CACHED_LENGTH = 50_000;

/** Replaces each secret by `[secret]`; a text without secrets is returned as it is. Idempotent. */
export function redactText(text: string): string {
  return redact(text, () => REDACTED);
}

/** Redacts a text and returns its lines. Lines keep their numbers: a secret over several lines leaves empty ones behind it. */
export function redactLines(text: string): readonly string[] {
  const redacted = redact(text, (secret) => REDACTED + secret.replace(/[^\n]+/g, ''));
  return redacted.split('\n');
}

function redact(text: string, replace: (secret: string) => string): string {
  if (clean.young.has(text)) return text;
  const matches = clean.old.has(text) ? [] : findSecrets(text);
  if (matches.length === 0) {
    if (text.length <= MAX_CACHED_LENGTH) cacheClean(text);
    return text;
  }
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end } of matches) {
    pieces.push(text.slice(from, start), replace(text.slice(start, end)));
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
 * Redacts every string and key of a JSON value, and replaces fields with names of secrets completely. Returns the value itself when
 * nothing was redacted, else a copy; dates and bytes are kept.
 */
export function redactValue<T>(value: T, redact: (text: string) => string = redactText): T {
  return redactDeep(value, redact, 0) as T; // the copy has the same shape
}

function redactDeep(value: unknown, redact: (text: string) => string, depth: number): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '[too deep]';
  if (value instanceof Date || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) return redactList(value, redact, depth + 1);
  if ('toJSON' in value && typeof value.toJSON === 'function') return redactDeep(value.toJSON(), redact, depth + 1);
  return redactObject(value as Readonly<Record<string, unknown>>, redact, depth + 1); // neither a list nor null
}

/** Nearly all lists and objects hold no secret: they are copied only from the first member on that does. */
function redactList(list: readonly unknown[], redact: (text: string) => string, depth: number): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (const [place, member] of list.entries()) {
    const clean = redactDeep(member, redact, depth);
    if (copy === undefined && clean !== member) copy = list.slice(0, place);
    copy?.push(clean);
  }
  return copy ?? list;
}

function redactObject(
  value: Readonly<Record<string, unknown>>,
  redact: (text: string) => string,
  depth: number,
): Readonly<Record<string, unknown>> {
  let copy: (readonly [string, unknown])[] | undefined;
  const keys = Object.keys(value);
  for (const [place, key] of keys.entries()) {
    const member = value[key];
    const name = redact(key);
    const isSecret = typeof member === 'string' && isSecretField(key, member);
    const clean = isSecret ? REDACTED : redactDeep(member, redact, depth);
    if (copy === undefined && (name !== key || clean !== member))
      copy = keys.slice(0, place).map((before) => [before, value[before]]);
    copy?.push([name, clean]);
  }
  return copy === undefined ? value : Object.fromEntries(copy);
}

function isSecretField(name: string, value: string): boolean {
  if (!isSecretName(name)) return false;
  const place = { start: 0, end: value.length, rest: value.length, text: value };
  return !isFalsePositive(value, { ...place, name: name.toLowerCase(), manner: 'colon', isQuoted: true });
}

/**
 * Replaces e-mail addresses and telephone numbers by `[email]` and `[phone]`, for logs. Numbers need a plus or the North American form;
 * other digits are ids. Idempotent.
 */
export function redactPersonal(text: string): string {
  const withoutEmails = text.includes('@') ? replaceEmails(text) : text;
  return withoutEmails.replace(PHONE, '[phone]');
}

function replaceEmails(text: string): string {
  const pieces: string[] = [];
  let from = 0;
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const before = text.slice(Math.max(from, at - MAX_LOCAL_LENGTH), at);
    const local = LOCAL.exec(before)?.[0] ?? '';
    const host = local === '' ? '' : (HOST.exec(text.slice(at + 1, at + 1 + MAX_HOST_LENGTH))?.[0] ?? '');
    if (host === '' || NO_PERSON.test(before)) continue;
    pieces.push(text.slice(from, at - local.length), '[email]');
    from = at + 1 + host.length;
  }
  return from === 0 ? text : pieces.join('') + text.slice(from);
}
