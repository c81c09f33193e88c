import { toAsciiDigits } from './digits.ts';
import type { SecretMatch } from './found.ts';

const CARD = /(?<![\w.+-])\d(?:[ \u00a0./\u2010-\u2015-]{0,2}\d){12,18}(?![\w-]|\.\d)/g;
/** Matches the first digits of card issuers: Visa, Mastercard, American Express, Discover, JCB, Diners, UnionPay. */
const ISSUER = /^(?:4|5[1-5]|2[2-7]|3[0-9]|6[0-9])/;
/** Matches digits in the groups of a card with one kind of separator, or not grouped. */
const GROUPED = /^(?:\d{13,19}|\d{4}(\D+)\d{4}\1\d{4}\1\d{1,7}|\d{4}(\D+)\d{6}\2\d{4,5})$/;

const IBAN = /(?<![\w-])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![\w-])/g;
const IBAN_MODULUS = 97;

/** A quick check: numbers of cards and accounts have adjacent groups of four digits. */
const MAYBE = /\d{4}[ \u00a0./\u2010-\u2015-]{0,2}\d{4}|[A-Z]{2}\d{2} ?[A-Z0-9]{4}/;

/** Finds numbers of payment cards and bank accounts with valid check digits. */
export function findPaymentNumbers(written: string): readonly SecretMatch[] {
  const matches: SecretMatch[] = [];
  const text = toAsciiDigits(written);
  if (!MAYBE.test(text)) return matches;
  for (const match of text.matchAll(CARD)) {
    const digits = match[0].replace(/\D/g, '');
    if (!GROUPED.test(match[0]) || !ISSUER.test(digits) || !passesLuhn(digits)) continue;
    matches.push({ kind: 'card-number', start: match.index, end: match.index + match[0].length });
  }
  for (const match of text.matchAll(IBAN)) {
    if (!passesIban(match[0].replaceAll(' ', ''))) continue;
    matches.push({ kind: 'iban', start: match.index, end: match.index + match[0].length });
  }
  return matches;
}

function passesLuhn(digits: string): boolean {
  // One repeated digit passes the check of a card's digits but is no card.
  if (/^(\d)\1+$/.test(digits)) return false;
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    const digit = Number(digits[digits.length - 1 - place]);
    const doubled = place % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

function passesIban(iban: string): boolean {
  if (iban.length < 15 || iban.length > 34) return false;
  let rest = 0;
  for (const sign of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(sign, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % IBAN_MODULUS;
  }
  return rest === 1;
}
