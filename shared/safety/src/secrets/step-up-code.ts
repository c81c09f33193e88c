import { inAscii } from '../redact/digits.ts';
import { HANDLE_PREFIX } from './hide.ts';
import type { SecretSealer } from './cipher.ts';

/*
 * Codes by which people prove who they are. A code is a function of the id of its challenge and of the key of the marks, which only
 * gateways have: it is made when it is sent, and made again when an answer comes. No table, stream or log ever holds one.
 */

/** What every handle of a typed code begins with. */
export const CODE_HANDLE_PREFIX = `${HANDLE_PREFIX}step-up-code-`;
/** Stands in a stored message where the gateway writes the code. */
export const CODE_PLACE = '••••••';
const DIGITS = 6;
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** A challenge for which a code was sent. */
export interface Challenge {
  readonly challengeId: string;
  /** An answer still counts. */
  readonly isOpen: boolean;
}

/** The six digits of a challenge. */
export function codeOf(sealer: SecretSealer, challengeId: string): string {
  const mark = sealer.mark('step-up', challengeId, 'code');
  const number = [...mark].reduce((sum, sign) => sum * ALPHABET.length + ALPHABET.indexOf(sign), 0); // 40 bits fit
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}

/** A keyed mark of an answer to a challenge: it equals that of the code when the answer is right, and says nothing without the key. */
export function markOf(sealer: SecretSealer, challengeId: string, answer: string): string {
  return sealer.mark('step-up', challengeId, `answer ${answer}`);
}

/** Whether a text has as many digits as a code, so that it is worth asking whether a code is waited for. Cheap. */
export function mayHoldCode(text: string): boolean {
  let digits = 0;
  for (const _ of text.matchAll(/\p{Nd}/gu)) if (++digits === DIGITS) return true;
  return false;
}

/** Digits of any script, with what people put between them. */
const RUN = /\p{Nd}(?:[\s\p{Cf}\p{Pd}.,_*·/]{0,3}\p{Nd}){5,}/gu;
/** Several guesses make one such run. */
const SIX = /(?<!\p{Nd})\p{Nd}{6}(?!\p{Nd})/gu;
const HANDLES = /(secret:[a-z0-9][a-z0-9._-]*)/;

/**
 * Takes codes out of what a person sent, with a handle in each place. Six digits are an answer while one is waited for; more digits, and
 * those of a challenge that is over, are taken when the code is among them. The handle carries the mark of the answer.
 */
export function hideCodes(sealer: SecretSealer, text: string, challenges: readonly Challenge[]): string {
  if (challenges.length === 0 || !mayHoldCode(text)) return text;
  const codes = challenges.map((challenge) => ({ ...challenge, code: codeOf(sealer, challenge.challengeId) }));
  const open = codes.find(({ isOpen }) => isOpen);
  const handle = ({ challengeId }: Challenge, typed: string): string =>
    `${CODE_HANDLE_PREFIX}${markOf(sealer, challengeId, digitsOf(typed))}`;
  const take = (run: string): string => {
    const typed = digitsOf(run);
    const meant = codes.find(({ code }) => typed.includes(code));
    if (meant) return handle(meant, run);
    if (!open) return run;
    return typed.length === DIGITS ? handle(open, run) : run.replace(SIX, (one) => handle(open, one));
  };
  // What was taken out before stands for itself, digits and all.
  return text
    .split(HANDLES)
    .map((piece, place) => (place % 2 === 1 ? piece : piece.replace(RUN, take)))
    .join('');
}

/** The digits of a text, in those of ASCII. */
function digitsOf(text: string): string {
  return inAscii(text.normalize('NFKC')).replace(/\D/g, '');
}
