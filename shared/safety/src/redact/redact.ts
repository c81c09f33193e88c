import { isSecretName } from './assignments.ts';
import { findSecrets } from './find.ts';
import { isFalsePositive } from './false-positives.ts';
import { redactPersonal } from './personal.ts';

/** What stands in the place of a secret. */
export const SECRET = '[secret]';

/** Values that are deeper are dropped: nothing of ours is nested so far. */
const DEEPEST = 40;

/** The text with `[secret]` in the place of each secret; the same text when there is none. Calling it twice changes nothing more. */
export function redactText(text: string): string {
  const found = findSecrets(text);
  if (found.length === 0) return text;
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end } of found) {
    pieces.push(text.slice(from, start), SECRET);
    from = end;
  }
  return pieces.join('') + text.slice(from);
}

/** Redacts for a log line: secrets, and personal data. */
export function redactForLog(text: string): string {
  return redactPersonal(redactText(text));
}

/**
 * A JSON value with every string in it redacted, keys too; what a field holds whose name says that it is secret goes as a whole.
 * The value is copied; dates and bytes in it are left as they are.
 */
export function redactValue<T>(value: T, redact: (text: string) => string = redactText): T {
  return redactDeep(value, redact, 0) as T; // strings stay strings, and everything else keeps its shape
}

function redactDeep(value: unknown, redact: (text: string) => string, depth: number): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEEPEST) return '[too deep]';
  if (Array.isArray(value)) return value.map((one) => redactDeep(one, redact, depth + 1));
  if (value instanceof Date || ArrayBuffer.isView(value)) return value;
  if ('toJSON' in value && typeof value.toJSON === 'function') return redactDeep(value.toJSON(), redact, depth + 1);
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      redact(key),
      typeof member === 'string' && isSecretField(key, member) ? SECRET : redactDeep(member, redact, depth + 1),
    ]),
  );
}

function isSecretField(name: string, value: string): boolean {
  if (!isSecretName(name)) return false;
  const place = { start: 0, end: value.length, rest: value.length, text: value };
  return !isFalsePositive(value, { ...place, name: name.toLowerCase(), manner: 'colon', isQuoted: true });
}
