import { AppError } from '@signalbox/contracts/errors';
import { toMadeValue } from '@signalbox/contracts/governance/field-key';

interface NumberedFact {
  readonly n: number;
  readonly fact: string;
  readonly outside: string | null;
}

/** The number of facts that an error lists. */
const MAX_LISTED = 10;

/**
 * Picks the fact with a number, or the only fact that words mean: one that holds them as they are, or all of their longer words that
 * any fact holds. A number among the words, such as 16:00, has to be held. Throws FACT_UNKNOWN,
 * SEVERAL_FACTS. Pure.
 */
export function pickFact<F extends NumberedFact>(
  facts: readonly F[],
  { number, words }: { readonly number: number | null; readonly words: string | null },
): F {
  const found = number === null ? findMeant(facts, words ?? '') : facts.filter(({ n }) => n === number);
  const [one, ...others] = found;
  const listed = (one === undefined ? facts : found).filter(({ outside }) => outside === null).slice(0, MAX_LISTED);
  const lines = listed.map(({ n, fact }) => `${n}. ${fact}`).join('; ');
  const numbers = listed.map(({ n }) => toMadeValue('number', String(n)));
  if (one === undefined)
    throw new AppError('FACT_UNKNOWN', { words: words ?? String(number), known: lines }, undefined, numbers);
  if (others.length > 0) throw new AppError('SEVERAL_FACTS', { facts: lines }, undefined, numbers);
  return one;
}

function findMeant<F extends NumberedFact>(facts: readonly F[], words: string): readonly F[] {
  const whole = words.trim().toLowerCase();
  const holding = facts.filter(({ fact }) => whole.length >= MIN_LENGTH && fact.toLowerCase().includes(whole));
  if (holding.length === 1) return holding;
  const asked = splitWords(words);
  const parts = facts.map((fact) => ({ fact, held: new Set(splitWords(fact.fact)) }));
  const known = asked.filter((word) => parts.some(({ held }) => held.has(word)));
  const isUnheld = asked.some((word) => /\p{N}/u.test(word) && !known.includes(word));
  const telling = known.filter(isTelling);
  if (isUnheld || telling.length === 0) return [];
  return parts.filter(({ held }) => telling.every((word) => held.has(word))).map(({ fact }) => fact);
}

const MIN_LENGTH = 4;

function isTelling(word: string): boolean {
  return word.length >= MIN_LENGTH || /[\p{N}\p{Script=Han}]/u.test(word);
}

function splitWords(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+(?:[:.,/-][\p{L}\p{N}]+)*/gu) ?? [];
}
