import { redactText } from '@signalbox/safety/redact/redact';

/** Maximum length of evidence, in characters. */
const MAX_EVIDENCE_LENGTH = 200;
/** Maximum length of a name in a sentence; of a longer one the end is shown. */
const MAX_NAME_LENGTH = 80;
/** Characters read of a longer text. */
const MAX_READ_LENGTH = 1_000;
/** Control characters, and invisible or direction-changing ones. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** Sanitizes text of a repository for display: one line, redacted, without misleading characters, and cut. */
export function toEvidence(text: string): string {
  const line = text.slice(0, MAX_READ_LENGTH).replaceAll(UNSEEN, ' ').replaceAll(/\s+/g, ' ').trim();
  const shown = redactText(line);
  if (shown.length <= MAX_EVIDENCE_LENGTH) return shown;
  // Does not cut a surrogate pair.
  return `${shown.slice(0, MAX_EVIDENCE_LENGTH - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** Sanitizes a name for a sentence, which shows it as code: a backtick would end that. */
export function toName(text: string): string {
  const name = toEvidence(text).replaceAll('`', "'");
  return name.length <= MAX_NAME_LENGTH ? name : `…${name.slice(1 - MAX_NAME_LENGTH).replace(/^[\uDC00-\uDFFF]/, '')}`;
}
