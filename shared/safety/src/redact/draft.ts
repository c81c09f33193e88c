import { toAsciiDigits } from './digits.ts';
import { redactText } from './redact.ts';

/** Matches an unfinished word that may become a secret: long, with a digit. */
const UNFINISHED = /(?<!\S)(?=\S{0,200}\d)\S{8,}$/;
/** Matches an unfinished number of a card or account, with its separators. */
const UNFINISHED_NUMBER =
  /(?<!\d)(?:\d[ \u00a0./\u2010-\u2015-]{0,2}){5,19}$|(?<!\w)[A-Z]{2}\d{2} ?(?:[A-Z0-9]{1,4} ?){0,9}$/;
/** Maximum length of a card or account number, with separators. */
const MAX_NUMBER_LENGTH = 64;

/** Redacts a text that is still being written: leaves out its end while that may be the start of a secret. */
export function redactDraft(text: string): string {
  const whole = redactText(text);
  const tail = Math.max(0, whole.length - 4_096);
  return dropUnfinishedNumber(whole.slice(0, tail) + whole.slice(tail).replace(UNFINISHED, ''));
}

function dropUnfinishedNumber(text: string): string {
  const end = toAsciiDigits(text.slice(-MAX_NUMBER_LENGTH));
  const found = UNFINISHED_NUMBER.exec(end);
  return found ? text.slice(0, text.length - end.length + found.index) : text;
}
