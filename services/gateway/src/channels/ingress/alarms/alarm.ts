/** One alarm as its sender describes it, whatever the sender is. All texts are text from outside. */
export interface SentAlarm {
  /** What makes it the same alarm when it is sent again, within its source. */
  readonly key: string;
  readonly isFiring: boolean;
  readonly title: string;
  readonly text: string | null;
  readonly link: string | null;
  readonly severity: Severity | null;
  /** By the sender's clock; null when it does not say. */
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
  readonly labels: Readonly<Record<string, string>>;
}

export type Severity = 'critical' | 'warning' | 'info';

/** What a request holds. `ignored`: a message of this sender that is no alarm, with the word for the sender's log. */
export type Decoded = { readonly alarms: readonly SentAlarm[] } | { readonly ignored: string };

/** Where the fields of an alarm stand in a body, such as `check.name` or `items[0].id`. */
export interface AlarmPaths {
  readonly title: string;
  readonly state: string;
  readonly key: string;
  readonly text: string;
  readonly link: string;
}

/** Reads a request of one kind of sender; null when it is no message of that kind. Pure. Never throws. */
export type DecodeAlarms = (
  body: unknown,
  request: {
    readonly headers: Readonly<Record<string, unknown>>;
    /** Where the fields stand; only for a sender of the kind `generic`. */
    readonly paths: AlarmPaths;
  },
) => Decoded | null;

/** Alarms that are taken of one request. Senders group at most some hundreds. */
export const MAX_ALARMS = 500;

const CRITICAL: ReadonlySet<string> = new Set(['critical', 'page', 'error', 'fatal', 'high', 'emergency', 'p1']);
const WARNING: ReadonlySet<string> = new Set(['warning', 'warn', 'medium', 'p2', 'p3']);
const INFO: ReadonlySet<string> = new Set(['info', 'information', 'notice', 'low', 'debug', 'none', 'p4', 'p5']);

export function readSeverity(text: unknown): Severity | null {
  const word = typeof text === 'string' ? text.toLowerCase() : '';
  if (CRITICAL.has(word)) return 'critical';
  if (WARNING.has(word)) return 'warning';
  return INFO.has(word) ? 'info' : null;
}

/** Years that a sender's clock can mean. Go writes the year 1 for “not yet”. */
const YEARS = { from: Date.UTC(2000), until: Date.UTC(2100) };

/** Reads a time as text or as seconds or milliseconds since 1970; null for everything else. */
export function readTime(given: unknown): Date | null {
  const isNumber = typeof given === 'number';
  if (!isNumber && typeof given !== 'string') return null;
  const ms = isNumber ? given * (given < 1e11 ? 1_000 : 1) : Date.parse(given);
  return Number.isFinite(ms) && ms >= YEARS.from && ms < YEARS.until ? new Date(ms) : null;
}

/** Reads a record whose values are texts; other values are written as JSON does. */
export function readTexts(given: unknown): Readonly<Record<string, string>> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return {};
  return Object.fromEntries(
    Object.entries(given).flatMap(([key, value]) => {
      if (typeof value === 'string') return [[key, value]];
      return typeof value === 'number' || typeof value === 'boolean' ? [[key, String(value)]] : [];
    }),
  );
}

/** The text of a field, or null. */
export function readText(given: unknown): string | null {
  return typeof given === 'string' && given.trim() !== '' ? given : null;
}

export function isRecord(given: unknown): given is Readonly<Record<string, unknown>> {
  return typeof given === 'object' && given !== null && !Array.isArray(given);
}
