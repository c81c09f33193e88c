import { redactText } from './redact.ts';

/** A word that may be the beginning of a secret: long, with a digit, and not ended yet. */
const UNFINISHED = /(?<!\S)(?=\S{0,200}\d)\S{8,}$/;

/** Redacts a text that is still being written: what may become a secret is shown only when it has ended as something else. */
export function redactDraft(text: string): string {
  const whole = redactText(text);
  const tail = Math.max(0, whole.length - 4_096);
  return whole.slice(0, tail) + whole.slice(tail).replace(UNFINISHED, '');
}
