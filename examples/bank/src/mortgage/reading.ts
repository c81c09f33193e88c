import { say } from '@signalbox/messages/say';
import type { KnownAction, RequestedAction } from '@signalbox/worker/guided/spec';
import { findNumbers, type FoundNumber } from './amounts.ts';
import { MAX_FIX_YEARS, type MortgageDomain, type Topic } from './domain.ts';
import { getRest, getShare } from './payment.ts';
import { listPhrases, saysOne, spansOf, type Span } from './phrases.ts';

/*
 * Reads messages whose meaning is certain, without a model. The phrases are in the message catalog, one list per language, so this code
 * contains no English. All other messages are left to a model, or to buttons.
 */

type Figures = Partial<Record<'propertyValue' | 'loanBalance' | 'fixYears' | 'termYears', string | number>>;
/** What a number of a text may be. The deposit is the part of the value that the person pays themselves. */
type Figure = 'propertyValue' | 'loanBalance' | 'deposit' | 'fixYears' | 'termYears';

/** Maximum length of a text that is read here; a model reads longer texts. */
const MAX_TEXT_LENGTH = 400;
/** Shares of the value, in percent, that are a loan or a deposit; any other share is more likely an interest rate. */
const LOAN_SHARE = { from: 20, to: 100 };
const DEPOSIT_SHARE = { from: 5, to: 80 };

/** A British postcode, as the register has it, after what belongs to it. */
const POSTCODE = /[a-z]{1,2}\d[a-z\d]? ?\d[a-z]{2}(?![a-z\d])/i;
const HOUSE = /(?<![\p{L}\d])\d{1,5} ?[a-z]?(?=[\s,])/giu;

/** Reads a message in its reader's language. `asked`: subject of the last question, so that a bare answer is understood. Pure. */
export function parseRequest(
  message: string,
  { asked, products, intent }: Pick<MortgageDomain, 'asked' | 'products' | 'intent'>,
): KnownAction | null {
  if (message.length > MAX_TEXT_LENGTH) return null;
  const address = findAddress(message.normalize('NFKC').trim());
  if (address !== null) return { action: 'check_address', data: { address } };
  const text = message.normalize('NFKC').toLowerCase().trim();
  if (asked === 'address' && /\d/.test(text) && /\p{L}/u.test(text))
    return { action: 'check_address', data: { address: message.trim() } };
  const requested = readFigures(text, asked, intent.propertyValue) ?? readTopic(text) ?? readPhrase(text);
  return requested?.action === 'show_products' && products.length === 0 ? null : requested;
}

/** Finds a house number with the postcode after it. */
function findAddress(message: string): string | null {
  const postcode = POSTCODE.exec(message);
  if (!postcode) return null;
  const house = [...message.slice(0, postcode.index).matchAll(HOUSE)].at(-1);
  return house ? message.slice(house.index, postcode.index + postcode[0].length) : null;
}

function readFigures(text: string, asked: MortgageDomain['asked'], known: string | null): KnownAction | null {
  const numbers = findNumbers(text, listPhrases(say('mortgage.hearYears')), listPhrases(say('mortgage.hearPercent')));
  const [number] = numbers;
  if (number === undefined) return null;
  const isBare = numbers.length === 1 && isAlone(text, number);
  if (isBare && number.kind !== 'percent' && asked !== null && asked !== 'address') return bareAnswer(number, asked);
  const words = {
    propertyValue: spansOf(text, say('mortgage.hearProperty')),
    loanBalance: spansOf(text, say('mortgage.hearLoan')),
    deposit: spansOf(text, say('mortgage.hearDeposit')),
    fixYears: spansOf(text, say('mortgage.hearFix')),
    termYears: spansOf(text, say('mortgage.hearTerm')),
  };
  const named = new Map<Figure, FoundNumber>();
  for (const found of numbers) {
    const name = nearest(text, found, FIGURES[found.kind], words) ?? nameAlone(found);
    // An ambiguous or repeated figure needs a model or another question.
    if (name === null || named.has(name)) return null;
    named.set(name, found);
  }
  const data = toFigures(named, known);
  return data && { action: 'set_intent', data, ...(isBare ? { isWhole: true } : {}) };
}

const FIGURES: Readonly<Record<FoundNumber['kind'], readonly Figure[]>> = {
  amount: ['propertyValue', 'loanBalance', 'deposit'],
  percent: ['loanBalance', 'deposit'],
  years: ['fixYears', 'termYears'],
};

/** What a number means without a word for it: no rate is fixed for so long, and a share of the value is the loan. */
function nameAlone({ kind, value }: FoundNumber): Figure | null {
  if (kind === 'percent') return 'loanBalance';
  return kind === 'years' && Number(value) > MAX_FIX_YEARS ? 'termYears' : null;
}

/** Works out the loan from a share or a deposit. Null when the value that it is a part of is not known, or the loan is named twice. */
function toFigures(named: ReadonlyMap<Figure, FoundNumber>, known: string | null): Figures | null {
  const value = named.get('propertyValue')?.value ?? known;
  const figures: Figures = {};
  for (const [name, found] of named) {
    if (name === 'fixYears' || name === 'termYears') figures[name] = Number(found.value);
    else if (name === 'propertyValue') figures.propertyValue = found.value;
    else {
      const loan = name === 'loanBalance' && found.kind === 'amount' ? found.value : toLoan(name, found, value);
      if (loan === null || figures.loanBalance !== undefined) return null;
      figures.loanBalance = loan;
    }
  }
  return figures;
}

function toLoan(name: Figure, { kind, value: part }: FoundNumber, value: string | null): string | null {
  if (value === null) return null;
  if (kind === 'amount') return getRest(value, part);
  const { from, to } = name === 'deposit' ? DEPOSIT_SHARE : LOAN_SHARE;
  const percent = Number(part);
  if (percent < from || percent > to) return null;
  return name === 'deposit' ? getRest(value, getShare(value, part)) : getShare(value, part);
}

/** True when the text has nothing but the number, its currency and its unit. */
function isAlone(text: string, { kind, at, end }: FoundNumber): boolean {
  const rest = `${text.slice(0, at)} ${kind === 'amount' ? text.slice(end) : ''}`;
  return !/[\p{L}\d]/u.test(rest.replace(/gbp|eur|usd|pounds?|euros?/gu, ''));
}

function bareAnswer(
  { kind, value }: FoundNumber,
  asked: Exclude<MortgageDomain['asked'], 'address' | null>,
): KnownAction | null {
  const answer = (data: object): KnownAction => ({ action: 'set_intent', data, isWhole: true });
  const years = Number(value);
  if (kind === 'years' && years > MAX_FIX_YEARS) return answer({ termYears: years });
  if (asked !== 'fixYears') return kind === 'years' ? null : answer({ [asked]: value });
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
  const [topic, ...others] = Object.entries(topics).filter(([, list]) => saysOne(text, list));
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
  return wishes.find(([list]) => saysOne(text, list))?.[1] ?? null;
}
