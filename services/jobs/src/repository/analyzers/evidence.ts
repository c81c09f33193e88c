import { redactText } from '@signalbox/safety/redact/redact';

/** The longest evidence that is kept, in characters. */
const EVIDENCE_LIMIT = 200;
/** The longest name in a sentence; of a longer one the end tells more. */
const NAME_LIMIT = 80;
/** What is read of a longer text. */
const READ_LIMIT = 1_000;
/** Control characters, and those that turn the direction of what follows or cannot be seen. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** A text of a repository as it may be shown: in one line, without secrets and characters that mislead, and cut where it is long. */
export function toEvidence(text: string): string {
  const line = text.slice(0, READ_LIMIT).replaceAll(UNSEEN, ' ').replaceAll(/\s+/g, ' ').trim();
  const shown = redactText(line);
  if (shown.length <= EVIDENCE_LIMIT) return shown;
  // A character of two halves is not cut in two.
  return `${shown.slice(0, EVIDENCE_LIMIT - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** The same for a name within a sentence, which shows it as code: a grave accent would end that. */
export function toName(text: string): string {
  const name = toEvidence(text).replaceAll('`', "'");
  return name.length <= NAME_LIMIT ? name : `…${name.slice(1 - NAME_LIMIT).replace(/^[\uDC00-\uDFFF]/, '')}`;
}
