import { findMentions } from '../text/mentions.ts';
import { findQuantities, findVersions } from '../text/quantities.ts';
import { isFiller, tokenize } from '../text/tokens.ts';
import type { Surroundings } from '../requests/understanding.ts';

/** A text in which somebody corrects what they have just written: "prod, no wait, staging". */
export interface Repair {
  readonly before: string;
  readonly after: string;
}

/** What stands between a slip and what was meant. A bare "no" or "sorry" only after a pause: "no shop" may be meant as it is. */
const MARKER =
  /[,.;:!?…-]+\s*(?:(?:oh|ah|eh|hm+|uh|um|no|nope|wait|sorry|oops|argh|actually)\b[,.!…]*\s*)+(?:(?:i meant?|or rather|rather|correction:?|make (?:it|that)|scratch that,?)\s+)?(?=\S)|[,.;:!?…-]*\s+(?:i meant?|or rather|correction:?|make (?:it|that)|scratch that,?)\s+(?=\S)/giu;

/** Parts a text at its last correction; null when it has none. */
export function findRepair(text: string): Repair | null {
  const last = [...text.matchAll(MARKER)].at(-1);
  if (!last || last.index === 0) return null;
  const before = text.slice(0, last.index).trim();
  const after = text.slice(last.index + last[0].length).trim();
  return before === '' || after === '' ? null : { before, after };
}

/** A value and the kind of value that it is: values of one kind correct each other. */
interface Value {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

/** The text as it was meant: the last value before a correction is replaced by the one behind it. The text itself when there is none. */
export function withRepair(text: string, around: Pick<Surroundings, 'facts' | 'index'>): string {
  const repair = findRepair(text);
  if (!repair) return text;
  const { before, after } = repair;
  const [meant] = valuesIn(after, around);
  if (!meant || !tokenize(after.slice(0, meant.start)).every(({ lower }) => isFiller(lower))) return text;
  const slip = valuesIn(before, around).findLast(({ kind }) => kind === meant.kind);
  if (!slip) return text;
  const value = after.slice(meant.start, meant.end);
  return `${before.slice(0, slip.start)}${value}${before.slice(slip.end)}${after.slice(meant.end)}`;
}

/** The answer that is meant when somebody answers twice: "one gig, sorry, two" is two gigs. Null without a correction. */
export function repairedAnswer(text: string): string | null {
  const repair = findRepair(text);
  if (!repair) return null;
  const [slip] = findQuantities(repair.before);
  const [meant] = findQuantities(repair.after);
  if (!slip?.unit || !meant || meant.unit !== null) return repair.after;
  return `${repair.after.slice(0, meant.end)} ${slip.unit}${repair.after.slice(meant.end)}`;
}

function valuesIn(text: string, { facts, index }: Pick<Surroundings, 'facts' | 'index'>): readonly Value[] {
  const names: readonly Value[] = findMentions(text, facts, index.words, index.closed);
  const versions = findVersions(text).map(({ start, end }) => ({ kind: 'version', start, end }));
  const numbers = findQuantities(text).map(({ start, end }) => {
    const isVersion = /^\d+\.\d+$/.test(text.slice(start, end));
    return { kind: isVersion ? 'version' : 'number', start, end };
  });
  return [...names, ...versions, ...numbers].sort((left, right) => left.start - right.start);
}
