import { redactText } from '@signalbox/safety/redact/redact';

/** The longest evidence that is kept, in characters. */
const MAX_EVIDENCE_LENGTH = 200;
/** The longest name in a sentence; of a longer one the end tells more. */
const MAX_NAME_LENGTH = 80;
/** What is read of a longer text. */
const MAX_READ_LENGTH = 1_000;
/** Control characters, and those that turn the direction of what follows or cannot be seen. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** A text of a repository as it may be shown: in one line, without secrets and characters that mislead, and cut where it is long. */
export function toEvidence(text: string): string {
  const line = text.slice(0, MAX_READ_LENGTH).replaceAll(UNSEEN, ' ').replaceAll(/\s+/g, ' ').trim();
  const shown = redactText(line);
  if (shown.length <= MAX_EVIDENCE_LENGTH) return shown;
  // A character of two halves is not cut in two.
  return `${shown.slice(0, MAX_EVIDENCE_LENGTH - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** The same for a name within a sentence, which shows it as code: a grave accent would end that. */
export function toName(text: string): string {
  const name = toEvidence(text).replaceAll('`', "'");
  return name.length <= MAX_NAME_LENGTH ? name : `…${name.slice(1 - MAX_NAME_LENGTH).replace(/^[\uDC00-\uDFFF]/, '')}`;
}
