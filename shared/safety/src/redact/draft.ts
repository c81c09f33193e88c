import { inAscii } from './digits.ts';
import { redactText } from './redact.ts';

/** A word that may be the beginning of a secret: long, with a digit, and not ended yet. */
const UNFINISHED = /(?<!\S)(?=\S{0,200}\d)\S{8,}$/;
/** What may become the number of a card or an account, with what may stand between its digits, and that may not have ended yet. */
const UNFINISHED_NUMBER =
  /(?<!\d)(?:\d[ \u00a0./\u2010-\u2015-]{0,2}){5,19}$|(?<!\w)[A-Z]{2}\d{2} ?(?:[A-Z0-9]{1,4} ?){0,9}$/;
/** No number of a card or an account is longer, with what stands between its digits. */
const LONGEST_NUMBER = 64;

/** Redacts a text that is still being written: what may become a secret is shown only when it has ended as something else. */
export function redactDraft(text: string): string {
  const whole = redactText(text);
  const tail = Math.max(0, whole.length - 4_096);
  return withoutNumber(whole.slice(0, tail) + whole.slice(tail).replace(UNFINISHED, ''));
}

function withoutNumber(text: string): string {
  const end = inAscii(text.slice(-LONGEST_NUMBER));
  const found = UNFINISHED_NUMBER.exec(end);
  return found ? text.slice(0, text.length - end.length + found.index) : text;
}
