import { createHash } from 'node:crypto';

const SHAPE = /^[0-9A-Z]{4}(-[0-9A-Z]{4}){2}$/i;

/** True when a text may be an owner code or an invitation. A hyphenated word with parts of four letters looks the same. */
export function looksLikeCode(text: string): boolean {
  return SHAPE.test(text.trim());
}

/** True when a text is certainly a code, because words do not mix capitals, digits and hyphens by chance. */
export function isCertainlyCode(text: string): boolean {
  const code = text.trim();
  return SHAPE.test(code) && code === code.toUpperCase() && /\d/.test(code);
}

/** Hashes a code for storage, so that the database does not reveal it. */
export function hashAccessCode(code: string): string {
  return createHash('sha256').update(code.trim().toUpperCase()).digest('hex');
}
