import { toAmount } from './payment.ts';

/** A number that was found in a text. `at` and `end`: its offsets. */
export interface FoundNumber {
  readonly kind: 'amount' | 'years' | 'percent';
  /** The number as decimal text. */
  readonly value: string;
  readonly at: number;
  readonly end: number;
}

/** Multipliers after a number, in the supported languages. */
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
// Matches digits in groups of three or in one piece, with a fraction of one or two digits.
const DIGITS = /\d{1,3}(?:[.,'’\u00a0\u202f ]\d{3})+(?:[.,]\d{1,2})?(?!\d)|\d+(?:[.,]\d{1,2})?(?!\d)/gu;
const UNIT = new RegExp(`^\\s?(${UNITS.join('|')})(?![\\p{L}])\\.?`, 'u');

/**
 * Finds the numbers of a lower-case text. A number before one of the `yearWords` counts years, before one of the `percentWords` it is a
 * share; any other is an amount. Pure.
 */
export function findNumbers(
  text: string,
  yearWords: readonly string[],
  percentWords: readonly string[] = [],
): readonly FoundNumber[] {
  return [...text.matchAll(DIGITS)].flatMap((match): readonly FoundNumber[] => {
    const [digits] = match;
    const at = match.index;
    const after = text.slice(at + digits.length);
    const [unit = '', name = ''] = UNIT.exec(after) ?? [];
    const gap = /^[\s-]*/.exec(after)?.[0] ?? '';
    const end = at + digits.length + gap.length;
    const comesBefore = (words: readonly string[]): boolean =>
      unit === '' && words.some((word) => after.slice(gap.length).startsWith(word));
    if (comesBefore(yearWords)) return /^\d{1,2}$/.test(digits) ? [{ kind: 'years', value: digits, at, end }] : [];
    if (comesBefore(percentWords)) return [{ kind: 'percent', value: plain(digits), at, end }];
    const value = scaled(plain(digits), THOUSANDS[name] ?? 1);
    return value === null ? [] : [{ kind: 'amount', value, at, end: at + digits.length + unit.length }];
  });
}

/** Removes grouping marks from a number. A mark before three digits groups them; before one or two digits it begins the fraction. */
function plain(digits: string): string {
  const [, whole = digits, fraction] = /^(.*)[.,](\d{1,2})$/u.exec(digits) ?? [];
  const bare = whole.replace(/\D/gu, '');
  return fraction === undefined ? bare : `${bare}.${fraction}`;
}

function scaled(digits: string, factor: number): string | null {
  if (digits.replace(/\D/g, '').length > 12) return null;
  return toAmount(factor === 1 ? digits : String(Math.round(Number(digits) * factor * 100) / 100));
}
