import { toAsciiDigits } from '../redact/digits.ts';
import { HANDLE_PREFIX } from './hide.ts';
import type { SecretSealer } from './cipher.ts';

/*
 * Codes by which people prove their identity. A code is computed from its challenge's id and the mark key, which only gateways have: when
 * it is sent, and again when an answer arrives. No table, stream or log holds a code.
 */

export const CODE_HANDLE_PREFIX = `${HANDLE_PREFIX}step-up-code-`;
/** The placeholder for the code in a stored message. */
export const CODE_PLACEHOLDER = '••••••';
const DIGITS = 6;
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** A request to prove one's identity, whose code was sent. */
export interface Challenge {
  readonly challengeId: string;
  /** True while the challenge accepts answers. */
  readonly isOpen: boolean;
}

/** Computes the six-digit code of a challenge. */
export function computeCode(sealer: SecretSealer, challengeId: string): string {
  const mark = sealer.mark('step-up', challengeId, 'code');
  const number = [...mark].reduce((sum, sign) => sum * ALPHABET.length + ALPHABET.indexOf(sign), 0); // the 40 bits of the mark fit a number
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}

/** Computes the keyed mark of an answer. A right answer has the code's mark; without the key the mark is useless. */
export function computeAnswerMac(sealer: SecretSealer, challengeId: string, answer: string): string {
  return sealer.mark('step-up', challengeId, `answer ${answer}`);
}

/** True when a text has enough digits for a code. A cheap check before querying challenges. */
export function couldHoldCode(text: string): boolean {
  let digits = 0;
  for (const _ of text.matchAll(/\p{Nd}/gu)) if (++digits === DIGITS) return true;
  return false;
}

/** Matches at least six digits of any script, with separators. */
const RUN = /\p{Nd}(?:[\s\p{Cf}\p{Pd}.,_*·/]{0,3}\p{Nd}){5,}/gu;
/** Matches six digits within a run, which may hold several guesses. */
const SIX = /(?<!\p{Nd})\p{Nd}{6}(?!\p{Nd})/gu;
const HANDLES = /(secret:[a-z0-9][a-z0-9._-]*)/;

/**
 * Replaces codes in a message by handles that carry the answer's mark. Six digits count as an answer while a challenge is open; longer
 * runs, and closed challenges, only when they contain the code.
 */
export function hideCodes(sealer: SecretSealer, text: string, challenges: readonly Challenge[]): string {
  if (challenges.length === 0 || !couldHoldCode(text)) return text;
  const codes = challenges.map((challenge) => ({ ...challenge, code: computeCode(sealer, challenge.challengeId) }));
  const open = codes.find(({ isOpen }) => isOpen);
  const handle = ({ challengeId }: Challenge, typed: string): string =>
    `${CODE_HANDLE_PREFIX}${computeAnswerMac(sealer, challengeId, extractDigits(typed))}`;
  const take = (run: string): string => {
    const typed = extractDigits(run);
    const matching = codes.find(({ code }) => typed.includes(code));
    if (matching) return handle(matching, run);
    if (!open) return run;
    return typed.length === DIGITS ? handle(open, run) : run.replace(SIX, (digits) => handle(open, digits));
  };
  // Handles that the text already has are kept, digits included.
  return text
    .split(HANDLES)
    .map((piece, place) => (place % 2 === 1 ? piece : piece.replace(RUN, take)))
    .join('');
}

function extractDigits(text: string): string {
  return toAsciiDigits(text.normalize('NFKC')).replace(/\D/g, '');
}
