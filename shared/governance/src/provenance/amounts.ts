import { LANGUAGES } from '@signalbox/messages/language';
import { toFieldKey } from '@signalbox/contracts/governance/field-key';

/*
 * A person says “2 GB” or “an hour”, and a call says 2048 or 3600. Such a number is the person's own when it is exactly what they typed,
 * in the unit of the argument. An argument without a unit, such as the value of a variable, may count in a few usual ones.
 */

/** Units with their size; sizes are compared only within a kind. */
const SIZES = {
  time: { millisecond: 0.001, second: 1, minute: 60, hour: 3_600, day: 86_400, week: 604_800 },
  binary: { byte: 1, kilobyte: 2 ** 10, megabyte: 2 ** 20, gigabyte: 2 ** 30, terabyte: 2 ** 40 },
  decimal: { byte: 1, kilobyte: 1e3, megabyte: 1e6, gigabyte: 1e9, terabyte: 1e12 },
} as const;
const KINDS: readonly Readonly<Record<string, number>>[] = Object.values(SIZES);

/** Units in which an argument counts that names none. */
const USUAL: readonly string[] = ['millisecond', 'second', 'byte', 'megabyte'];

/** Words for numbers up to ten as people write them before a unit, by number. */
const NUMBER_WORDS = [
  'a|an|one|ein|eine|einen|einer|un|una|один|одну|одного|一',
  'two|zwei|dos|два|две|两|二',
  'three|drei|tres|три|三',
  'four|vier|cuatro|четыре|四',
  'five|fünf|cinco|пять|五',
  'six|sechs|seis|шесть|六',
  'seven|sieben|siete|семь|七',
  'eight|acht|ocho|восемь|八',
  'nine|neun|nueve|девять|九',
  'ten|zehn|diez|десять|十',
].map((words) => words.split('|'));

/** True when a number of a call is an amount that the person typed with its unit, converted to the unit of the field. Pure. */
export function isTypedAmount(field: string, value: string, said: readonly string[]): boolean {
  if (!/^\d{1,15}$/.test(value)) return false;
  const targets = findFieldUnit(field);
  return said.some((text) =>
    listAmounts(text).some(({ count, unit }) =>
      (targets ?? [unit, ...USUAL]).some((target) => countsAs({ count, unit }, target, Number(value))),
    ),
  );
}

/** The unit that a field names, such as `hours` or `memoryMb`. */
function findFieldUnit(field: string): readonly string[] | null {
  const key = toFieldKey(field);
  if (key.endsWith('mb')) return ['megabyte'];
  const [, unit] = /(millisecond|second|minute|hour|day|week)s(?:ago)?$/.exec(key) ?? [];
  return unit === undefined ? null : [unit];
}

interface Amount {
  readonly count: number;
  readonly unit: string;
}

function countsAs({ count, unit }: Amount, target: string, value: number): boolean {
  return KINDS.some((kind) => {
    const [from, to] = [kind[unit], kind[target]];
    return from !== undefined && to !== undefined && Math.abs((count * from) / to - value) < 1e-6;
  });
}

function listAmounts(text: string): readonly Amount[] {
  return [...text.matchAll(AMOUNT)].flatMap((found) => {
    const [number = '', word = ''] = found.slice(1).filter((part) => part !== undefined);
    const unit = UNITS.get(word.toLowerCase());
    const at = NUMBER_WORDS.findIndex((words) => words.includes(number.toLowerCase()));
    return unit === undefined ? [] : [{ count: at === -1 ? Number(number) : at + 1, unit }];
  });
}

/** Words of people for each unit, in all languages of the product. */
const UNITS: ReadonlyMap<string, string> = new Map(
  LANGUAGES.flatMap((language) =>
    [...new Set(KINDS.flatMap((kind) => Object.keys(kind)))].flatMap((unit) =>
      (['long', 'short', 'narrow'] as const).flatMap((unitDisplay) => {
        const format = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay });
        // Languages decline a unit by its number.
        return [1, 2, 5].flatMap((count) =>
          format.formatToParts(count).flatMap(({ type, value }) => {
            const word = value.trim().replace(/\.$/, '').toLowerCase();
            return type === 'unit' && word !== '' ? [[word, unit] as const] : [];
          }),
        );
      }),
    ),
  ),
);

const LETTER = '[^\\P{L}\\p{Script=Han}]';
const END = `(?!${LETTER}|[\\p{N}_-])`;
const ANY_UNIT = toAlternatives([...UNITS.keys()]);
/** A letter such as `h` is a unit only behind figures: “at” is no day. */
const LONG_UNIT = toAlternatives([...UNITS.keys()].filter((word) => word.length > 1 || /\p{Script=Han}/u.test(word)));
const HAN_NUMBER = toAlternatives(NUMBER_WORDS.flat().filter((word) => /\p{Script=Han}/u.test(word)));
const AMOUNT = new RegExp(
  `(?<!${LETTER}|[\\p{N}_-]|\\p{N}[.,:])(?:(\\d{1,9})\\s{0,2}-?(${ANY_UNIT})|(${toAlternatives(NUMBER_WORDS.flat())})\\s{1,2}(${LONG_UNIT})|(${HAN_NUMBER})(${LONG_UNIT}))${END}`,
  'giu',
);

function toAlternatives(words: readonly string[]): string {
  return words.toSorted((a, b) => b.length - a.length).join('|');
}
