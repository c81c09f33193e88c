import type cards from './languages/en/cards.json';
import type lostCard from './languages/en/lost-card.json';
import type mortgage from './languages/en/mortgage.json';

/** Sentences of the bank's errors in English. Agents read the sentence and try another way. */
export const ERRORS = {
  CARD_NONE: 'You have no payment card here.',
  CARD_UNKNOWN: 'You have no payment card that ends in {last4}. Yours end in {known}.',
  CARD_NOT_USABLE: 'The card that ends in {last4} is still on its way to you, so there is nothing to freeze.',
  CARD_NOT_FROZEN: 'The card that ends in {last4} is not frozen.',
  CARD_REPORTED: 'Fraud with the card that ends in {last4} was reported, so it stays frozen. Order a replacement.',
  TRANSACTION_UNKNOWN: 'The card that ends in {last4} has no payment {unknown} that could be reported.',
  STEP_UP_NEEDED:
    'The card that ends in {last4} may be misused, so I have to be sure first that it is you who asks. Nothing was changed.',
  STEP_UP_LOCKED: 'There were too many wrong codes, so I send none for an hour. An operator can vouch for you.',
  STEP_UP_TOO_MANY:
    'I have sent three codes within an hour, and send no more for now. Use the newest, or let an operator vouch for you.',
  STEP_UP_NO_CHAT: 'You have no other private chat with me that I could send a code to. An operator can pass it on.',
  STEP_UP_UNAPPROVED: 'No operator whom I can reach has approved that, so nothing was done.',
} as const;

type Codes = typeof ERRORS;

declare module '@signalbox/contracts/errors' {
  interface PluginErrors extends Codes {}
}

declare module '@signalbox/messages/say' {
  interface Catalog {
    readonly cards: typeof cards;
    readonly 'lost-card': typeof lostCard;
    readonly mortgage: typeof mortgage;
  }
}
