import { z } from 'zod';
import { say } from '@signalbox/messages/say';
import { tool } from '@signalbox/worker/tools/tool';
import { CardLast4, CARD_CHANGE, PROVEN_CARD_CHANGE } from './fields.ts';
import { sayDay } from './words.ts';

/** Freezing a card needs no proof of identity at any risk, because it only protects and can be undone. */
export const freezeCard = tool({
  describe: 'Freeze one of this person’s payment cards: nothing can be paid with it until it is unfrozen.',
  hints: [
    'freeze my card 4417',
    'block my debit card',
    'i have lost my credit card',
    'my bank card was stolen',
    'lock my payment card',
    'freeze card 4417',
  ],
  input: z.object({ card: CardLast4 }),
  ...CARD_CHANGE,
  told: ['card'],
  preview: ({ card }) => ({
    what: say('cards.freezeOrder', { last4: card }),
    change: say('cards.freezeChange'),
    reach: say('cards.reach', { last4: card }),
    undo: say('cards.freezeUndo'),
  }),
  run: async ({ card }, { ports, actor, actionId }) => ports.cards.freeze(card, { userKey: actor.userKey, actionId }),
  phrases: {
    order: ({ card }) => say('cards.freezeOrder', { last4: card }),
    done: ({ last4, wasFrozen }) => say('cards.frozen', { last4, wasFrozen }),
  },
}).from({ last4: 'runtime', wasFrozen: 'runtime' });

export const unfreezeCard = tool({
  describe: 'Unfreeze one of this person’s payment cards, for example when it was found again.',
  hints: [
    'unfreeze my card 4417',
    'i found my credit card again',
    'unblock my debit card',
    'unlock my payment card',
    'my bank card is back',
    'unfreeze card 4417',
  ],
  input: z.object({ card: CardLast4 }),
  ...PROVEN_CARD_CHANGE,
  told: ['card'],
  preview: ({ card }) => ({
    what: say('cards.unfreezeOrder', { last4: card }),
    change: say('cards.unfreezeChange'),
    reach: say('cards.reach', { last4: card }),
    undo: say('cards.unfreezeUndo'),
  }),
  run: async ({ card }, { ports, actor, actionId }) => ports.cards.unfreeze(card, { userKey: actor.userKey, actionId }),
  phrases: {
    order: ({ card }) => say('cards.unfreezeOrder', { last4: card }),
    done: ({ last4 }) => say('cards.unfrozen', { last4 }),
  },
}).from({ last4: 'runtime' });

/** Sends the new card to the address on file, because an address from the chat could be a thief's. */
export const requestReplacement = tool({
  describe: 'Cancel a frozen payment card of this person for good and send a new one to the address that the bank has.',
  hints: [
    'order a replacement for my card 4417',
    'i need a new credit card',
    'replace my debit card',
    'send me a new bank card',
    'request a replacement card',
    'order a new payment card',
  ],
  input: z.object({ card: CardLast4 }),
  ...PROVEN_CARD_CHANGE,
  told: ['card'],
  preview: ({ card }) => ({
    what: say('cards.replaceOrder', { last4: card }),
    change: say('cards.replaceChange'),
    reach: say('cards.reach', { last4: card }),
    undo: say('cards.noUndo'),
  }),
  run: async ({ card }, { ports, actor, actionId }) => ports.cards.replace(card, { userKey: actor.userKey, actionId }),
  phrases: {
    order: ({ card }) => say('cards.replaceOrder', { last4: card }),
    done: ({ before, last4, arrivesOn }) => say('cards.replaced', { before, last4, day: sayDay(arrivesOn) }),
  },
}).from({ last4: 'runtime', arrivesOn: 'runtime', before: 'runtime' });
