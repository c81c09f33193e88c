import { redactText } from '@signalbox/safety/redact/redact';

const MAX_EVIDENCE_LENGTH = 200;
/** Maximum length of a displayed name; of a longer name only the end is shown. */
const MAX_NAME_LENGTH = 80;
const MAX_READ_LENGTH = 1_000;
/** Control characters, invisible characters, and characters that change the text direction. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** Sanitizes repository text for display: one line, redacted, without invisible characters, and truncated. */
export function toEvidence(text: string): string {
  const line = text.slice(0, MAX_READ_LENGTH).replaceAll(UNSEEN, ' ').replaceAll(/\s+/g, ' ').trim();
  const shown = redactText(line);
  if (shown.length <= MAX_EVIDENCE_LENGTH) return shown;
  // Does not cut a surrogate pair in half.
  return `${shown.slice(0, MAX_EVIDENCE_LENGTH - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** Sanitizes a name for a sentence that shows it between backticks. */
export function toSafeName(text: string): string {
  const name = toEvidence(text).replaceAll('`', "'");
  return name.length <= MAX_NAME_LENGTH ? name : `…${name.slice(1 - MAX_NAME_LENGTH).replace(/^[\uDC00-\uDFFF]/, '')}`;
}
