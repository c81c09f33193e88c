/** What the patterns of a language are about. */
export interface WhenWords {
  /** Names of the weekdays, Sunday first, each with its forms. */
  readonly days: readonly string[];
  /** Words for numbers from one on, each with its forms. */
  readonly numbers: readonly string[];
  /** Units of `every N …` and `in N …`. */
  readonly units: Readonly<Record<'minute' | 'hour' | 'day' | 'week', string>>;
  /** Repetitions, as patterns; the value is their cron pattern, without the time of day where it may be said. */
  readonly every: Readonly<Partial<Record<EveryWord, string>>>;
  /** `every N minutes`, with one group for the number and one for the unit. */
  readonly everyCount: string;
  /** Days of the week that repeat; the group holds them all. */
  readonly everyDay: string;
  /** A day of the month; a group holds its figures. */
  readonly everyMonthDay: string;
  /** `in N minutes`, with one group for the number and one for the unit. */
  readonly after: string;
  /** In half an hour. */
  readonly halfHour: string;
  /** Times of day with groups `hour`, and possibly `minute`, `half` and `part`. */
  readonly time: readonly string[];
  /** Words beside a time that say which half of the day it is in: those of the morning, and those of the afternoon. */
  readonly morning: string;
  readonly evening: string;
  /** Single days: a pattern with the number of days from today, and the hour when none is said. */
  readonly single: readonly (readonly [pattern: string, days: number, hour: number | null])[];
  /** The next such weekday; a group holds it. */
  readonly nextDay: string;
  /** Noon and midnight, with their hours. */
  readonly hours: readonly (readonly [pattern: string, hour: number])[];
  /** An order to be reminded, and the questions that begin like one. */
  readonly remind: string;
  readonly recall: string;
  /** How an order to remember a fact begins, whose words about time belong to the fact. */
  readonly keep: string;
  /** A repetition of any kind, understood or not. */
  readonly anyRepeat: string;
  /** Words beside a task that make it speak each time. */
  readonly always: string;
  /** Words of trouble: a task with one of them is quiet while nothing is wrong. */
  readonly wrong: string;
  /** The end of an order to be reminded whose verb comes last. */
  readonly remindEnd?: string;
  /** How an order to make a schedule begins, and what it asks for at its end, which are no part of its task. */
  readonly order: string;
  readonly tell: string;
  /** Words at the beginning of what is left, which belong to none of the parts. */
  readonly joints: string;
}

export type EveryWord =
  'day' | 'weekday' | 'weekend' | 'night' | 'morning' | 'noon' | 'evening' | 'hour' | 'week' | 'month';
