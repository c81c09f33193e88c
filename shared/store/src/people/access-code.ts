import { createHash } from 'node:crypto';

const SHAPE = /^[0-9A-Z]{4}(-[0-9A-Z]{4}){2}$/i;

/** Whether a text may be an owner code or an invitation. A hyphenated name of four letters each may be one too. */
export function looksLikeCode(text: string): boolean {
  return SHAPE.test(text.trim());
}

/** Whether a text can hardly be anything but a code: nobody writes capitals with digits and hyphens by chance. */
export function isSurelyCode(text: string): boolean {
  const code = text.trim();
  return SHAPE.test(code) && code === code.toUpperCase() && /\d/.test(code);
}

/** What is stored of a code: whoever reads the database cannot use it. */
export function hashCode(code: string): string {
  return createHash('sha256').update(code.trim().toUpperCase()).digest('hex');
}
