import { say } from '@signalbox/messages/say';
import type { KnownAction, RequestedAction } from '@signalbox/worker/guided/spec';
import { findNumbers, type FoundNumber } from './amounts.ts';
import type { MortgageDomain, Topic } from './domain.ts';

/*
 * Reads messages whose meaning is certain, without a model. The phrases are in the message catalog, one list per language, so this code
 * contains no English. All other messages are left to a model, or to buttons.
 */

interface Span {
  readonly at: number;
  readonly end: number;
}

type Figure = 'propertyValue' | 'loanBalance' | 'fixYears' | 'termYears';

/** Maximum length of a text that is read here; a model reads longer texts. */
const MAX_TEXT_LENGTH = 400;

/** Reads a message in its reader's language. `asked`: subject of the last question, so that a bare answer is understood. Pure. */
export function parseRequest(
  message: string,
  { asked, products }: Pick<MortgageDomain, 'asked' | 'products'>,
): KnownAction | null {
  if (message.length > MAX_TEXT_LENGTH) return null;
  const text = message.normalize('NFKC').toLowerCase().trim();
  if (asked === 'address' && /\d/.test(text) && /\p{L}/u.test(text))
    return { action: 'check_address', data: { address: message.trim() } };
  const requested = readFigures(text, asked) ?? readTopic(text) ?? readPhrase(text);
  return requested?.action === 'show_products' && products.length === 0 ? null : requested;
}

function readFigures(text: string, asked: MortgageDomain['asked']): KnownAction | null {
  const numbers = findNumbers(text, phrases(say('mortgage.hearYears')));
  if (numbers.length === 0) return null;
  const [number] = numbers;
  const isBare = numbers.length === 1 && number !== undefined && isAlone(text, number);
  if (isBare && asked !== null && asked !== 'address') return bareAnswer(number, asked);
  const words = {
    propertyValue: spansOf(text, say('mortgage.hearProperty')),
    loanBalance: spansOf(text, say('mortgage.hearLoan')),
    fixYears: spansOf(text, say('mortgage.hearFix')),
    termYears: spansOf(text, say('mortgage.hearTerm')),
  };
  const figures: Partial<Record<Figure, string | number>> = {};
  for (const found of numbers) {
    const names =
      found.kind === 'years' ? (['fixYears', 'termYears'] as const) : (['propertyValue', 'loanBalance'] as const);
    const name = nearest(text, found, names, words);
    // An ambiguous or repeated figure needs a model or another question.
    if (name === null || figures[name] !== undefined) return null;
    figures[name] = found.kind === 'years' ? Number(found.value) : found.value;
  }
  return { action: 'set_intent', data: figures };
}

/** True when the text has nothing but the number, its currency and its unit. */
function isAlone(text: string, { kind, at, end }: FoundNumber): boolean {
  const rest = `${text.slice(0, at)} ${kind === 'years' ? '' : text.slice(end)}`;
  return !/[\p{L}\d]/u.test(rest.replace(/gbp|eur|usd|pounds?|euros?/gu, ''));
}

function bareAnswer(
  { kind, value }: FoundNumber,
  asked: Exclude<MortgageDomain['asked'], 'address' | null>,
): KnownAction | null {
  const answer = (data: object): KnownAction => ({ action: 'set_intent', data, isWhole: true });
  if (asked !== 'fixYears') return kind === 'years' ? null : answer({ [asked]: value });
  const years = Number(value);
  return Number.isInteger(years) ? answer({ fixYears: years }) : null;
}

/** Distance added for a word in another clause, or after the unit of the number. */
const OTHER_CLAUSE = 10;
const AFTER_UNIT = 4;

/** Finds the figure whose words are nearest to a number; null when there is none or two are equally near. */
function nearest<N extends Figure>(
  text: string,
  found: FoundNumber,
  names: readonly N[],
  words: Readonly<Record<Figure, readonly Span[]>>,
): N | null {
  const ranked = names
    .map((name) => ({ name, distance: Math.min(...words[name].map((span) => distanceOf(text, found, span))) }))
    .toSorted((one, other) => one.distance - other.distance);
  const [first, second] = ranked;
  if (!first || first.distance === Infinity || first.distance === second?.distance) return null;
  return first.name;
}

function distanceOf(text: string, found: FoundNumber, span: Span): number {
  const isAfter = span.at >= found.end;
  const between = isAfter ? text.slice(found.end, span.at) : text.slice(span.end, found.at);
  const clause = /[,;:.\n]/.test(between) ? OTHER_CLAUSE : 0;
  return between.length + clause + (isAfter && found.kind === 'years' ? AFTER_UNIT : 0);
}

function readTopic(text: string): RequestedAction | null {
  const topics: Readonly<Record<Topic, string>> = {
    documents: say('mortgage.hearDocuments'),
    timeline: say('mortgage.hearTimeline'),
    fees: say('mortgage.hearFees'),
    early_repayment: say('mortgage.hearEarlyRepayment'),
    valuation: say('mortgage.hearValuation'),
    income: say('mortgage.hearIncome'),
    binding: say('mortgage.hearBinding'),
  };
  const [topic, ...others] = Object.entries(topics).filter(([, list]) => spansOf(text, list).length > 0);
  return topic && others.length === 0 ? { action: 'ask_process', data: { topic: topic[0] } } : null;
}

/** Returns the action of the first matching phrase. Negated phrases come before the phrases that they negate. */
function readPhrase(text: string): RequestedAction | null {
  const wishes: readonly (readonly [string, RequestedAction])[] = [
    [say('mortgage.hearReset'), { action: 'reset', data: {} }],
    [say('mortgage.hearSupport'), { action: 'get_support', data: {} }],
    [say('mortgage.hearNotCustomer'), { action: 'existing_customer', data: { answer: false } }],
    [say('mortgage.hearCustomer'), { action: 'existing_customer', data: { answer: true } }],
    [say('mortgage.hearNotSeen'), { action: 'property_seen', data: { answer: false } }],
    [say('mortgage.hearSeen'), { action: 'property_seen', data: { answer: true } }],
    [say('mortgage.hearBranch'), { action: 'request_branch', data: {} }],
    [say('mortgage.hearAddress'), { action: 'check_address', data: {} }],
    [say('mortgage.hearProcess'), { action: 'ask_process', data: {} }],
    [say('mortgage.hearProducts'), { action: 'show_products', data: {} }],
  ];
  return wishes.find(([list]) => spansOf(text, list).length > 0)?.[1] ?? null;
}

/** Finds the places where a phrase begins at the start of a word, in scripts with words. */
function spansOf(text: string, list: string): readonly Span[] {
  return phrases(list).flatMap((phrase) => {
    const spans: Span[] = [];
    for (let at = text.indexOf(phrase); at !== -1; at = text.indexOf(phrase, at + 1))
      if (isWhole(text, at, phrase)) spans.push({ at, end: at + phrase.length });
    return spans;
  });
}

const LETTER = /[\p{Script=Latin}\p{Script=Cyrillic}\d]/u;

/** Checks only that the phrase begins a word, because words have various endings. */
function isWhole(text: string, at: number, phrase: string): boolean {
  return !(LETTER.test(phrase.charAt(0)) && LETTER.test(text.charAt(at - 1)));
}

function phrases(list: string): readonly string[] {
  return list
    .split('|')
    .map((phrase) => phrase.trim().toLowerCase())
    .filter((phrase) => phrase !== '');
}
