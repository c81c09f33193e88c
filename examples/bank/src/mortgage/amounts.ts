import { toAmount } from './payment.ts';

/** A number in a text: an amount of money, or a number of years. `at` and `end`: where it stands. */
export interface FoundNumber {
  readonly kind: 'amount' | 'years';
  /** Decimal text. */
  readonly value: string;
  readonly at: number;
  readonly end: number;
}

/** What comes after a number and multiplies it, in the languages that are spoken here. */
const THOUSANDS: Readonly<Record<string, number>> = {
  k: 1e3,
  tsd: 1e3,
  tausend: 1e3,
  thousand: 1e3,
  mil: 1e3,
  тыс: 1e3,
  тысяч: 1e3,
  千: 1e3,
  万: 1e4,
  m: 1e6,
  mio: 1e6,
  million: 1e6,
  millionen: 1e6,
  millón: 1e6,
  millones: 1e6,
  млн: 1e6,
  миллион: 1e6,
  миллиона: 1e6,
  百万: 1e6,
};

const UNITS = Object.keys(THOUSANDS).toSorted((one, other) => other.length - one.length);
// Digits in groups of three, or in one piece, with a fraction of one or two digits.
const DIGITS = /\d{1,3}(?:[.,'’\u00a0\u202f ]\d{3})+(?:[.,]\d{1,2})?(?!\d)|\d+(?:[.,]\d{1,2})?(?!\d)/gu;
const UNIT = new RegExp(`^\\s?(${UNITS.join('|')})(?![\\p{L}])\\.?`, 'u');

/**
 * The numbers of a text in small letters. One with a word for years after it is years; any other is an amount. `yearWords`: such words.
 * Pure.
 */
export function findNumbers(text: string, yearWords: readonly string[]): readonly FoundNumber[] {
  return [...text.matchAll(DIGITS)].flatMap((match): readonly FoundNumber[] => {
    const [digits] = match;
    const at = match.index;
    const after = text.slice(at + digits.length);
    const [unit = '', name = ''] = UNIT.exec(after) ?? [];
    const years = /^[\s-]*/.exec(after)?.[0] ?? '';
    if (unit === '' && yearWords.some((word) => after.slice(years.length).startsWith(word)))
      return /^\d{1,2}$/.test(digits)
        ? [{ kind: 'years', value: digits, at, end: at + digits.length + years.length }]
        : [];
    const value = scaled(plain(digits), THOUSANDS[name] ?? 1);
    return value === null ? [] : [{ kind: 'amount', value, at, end: at + digits.length + unit.length }];
  });
}

/** Digits without what groups them: a mark before exactly three digits groups, one before one or two begins a fraction. */
function plain(digits: string): string {
  const [, whole = digits, fraction] = /^(.*)[.,](\d{1,2})$/u.exec(digits) ?? [];
  const bare = whole.replace(/\D/gu, '');
  return fraction === undefined ? bare : `${bare}.${fraction}`;
}

function scaled(digits: string, factor: number): string | null {
  if (digits.replace(/\D/g, '').length > 12) return null;
  return toAmount(factor === 1 ? digits : String(Math.round(Number(digits) * factor * 100) / 100));
}
