import { saysOne } from '@signalbox/messages/agents';
import { getCurrentLanguage, DEFAULT_LANGUAGE } from '@signalbox/messages/language';
import { say } from '@signalbox/messages/say';
import type { KnownAction } from '@signalbox/worker/guided/spec';
import type { LostCardAction, LostCardDomain } from './domain.ts';

interface Meaning {
  readonly action: LostCardAction;
  readonly data?: Readonly<Record<string, string>>;
  /** Phrases of a language, separated by commas. A text matches a phrase when it has words with all of its word beginnings. */
  readonly phrases: (language: string) => string;
}

/** Meanings in order of precedence: fraud before payments, a stolen card before a lost one. */
const MEANINGS: readonly Meaning[] = [
  { action: 'reset', phrases: (language) => say('lost-card.hearFound', {}, language) },
  { action: 'report_fraud', phrases: (language) => say('lost-card.hearFraud', {}, language) },
  {
    action: 'freeze_card',
    data: { because: 'stolen' },
    phrases: (language) => say('lost-card.hearStolen', {}, language),
  },
  { action: 'freeze_card', data: { because: 'lost' }, phrases: (language) => say('lost-card.hearLost', {}, language) },
  {
    action: 'ask_about',
    data: { topic: 'address' },
    phrases: (language) => say('lost-card.hearAddress', {}, language),
  },
  { action: 'order_replacement', phrases: (language) => say('lost-card.hearReplacement', {}, language) },
  { action: 'view_transactions', phrases: (language) => say('lost-card.hearTransactions', {}, language) },
  { action: 'find_branch', phrases: (language) => say('lost-card.hearBranch', {}, language) },
  { action: 'freeze_card', phrases: (language) => say('lost-card.hearFreeze', {}, language) },
  { action: 'ask_operator', phrases: (language) => say('lost-card.hearOperator', {}, language) },
  { action: 'verify_identity', phrases: (language) => say('lost-card.hearCode', {}, language) },
  { action: 'ask_about', data: { topic: 'state' }, phrases: (language) => say('lost-card.hearFine', {}, language) },
];

const CODE = /secret:step-up-code-[0-9a-z]{8}/;
const NOT_ON_A_CARD: readonly LostCardAction[] = ['ask_about', 'find_branch', 'ask_operator', 'verify_identity'];

/** Reads an unambiguous request in the person's language or in English. The person must confirm the request. Pure. */
export function parseRequest(text: string, domain: LostCardDomain): KnownAction | null {
  const [code] = CODE.exec(text) ?? [];
  if (code !== undefined) return { action: 'verify_identity', data: { code }, isWhole: true };
  const written = text.normalize('NFKC').toLowerCase().replaceAll('’', "'");
  for (const language of new Set([getCurrentLanguage(), DEFAULT_LANGUAGE])) {
    const meaning = MEANINGS.find(({ phrases }) => saysOne(written, phrases(language)));
    if (!meaning) continue;
    const { action, data = {} } = meaning;
    const card = NOT_ON_A_CARD.includes(action) ? null : cardIn(text, domain);
    return { action, data: card === null ? data : { ...data, card } };
  }
  return domain.awaiting === 'payments' ? pickedNumbers(written, domain.listed_tx.length) : null;
}

/** Reads "2 and 5" as numbers of the list that the person was shown. */
function pickedNumbers(text: string, shown: number): KnownAction | null {
  const numbers = [...text.matchAll(/\d+/g)].map(([digits]) => Number(digits));
  const isPick = numbers.length > 0 && numbers.every((number) => number >= 1 && number <= shown);
  return isPick ? { action: 'report_fraud', data: { numbers } } : null;
}

/** Four digits that stand alone, and are no amount of money: `€5000`, `5000 EUR`. */
const FOUR_DIGITS = /(?<![\d.,]|\p{Sc}\s?)\d{4}(?![\d]|[.,]\d|\s?(?:\p{Sc}|[A-Z]{3}\b|euro|руб|元))/gu;
const YEAR = /^(?:19|20)/;

/** Finds the card that the text names by its last digits: a known one, or else one that is not known, which the person is then told. */
function cardIn(text: string, { cards }: LostCardDomain): string | null {
  const written = [...new Set([...text.matchAll(FOUR_DIGITS)].map(([digits]) => digits))];
  const known = written.filter((digits) => cards.includes(digits));
  const named = known.length > 0 ? known : written.filter((digits) => !YEAR.test(digits));
  return named.length === 1 ? (named[0] ?? null) : null;
}
