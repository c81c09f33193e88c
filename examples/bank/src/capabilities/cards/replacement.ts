import { z } from 'zod';
import { say } from '@signalbox/messages/say';
import { tool } from '@signalbox/worker/tools/tool';
import { Card, cardLock, listCardResources, OWN_CARD, probeCard, resolveCard } from './fields.ts';
import { sayDay } from './words.ts';

/** The new card goes to the address that the bank has: an address out of a chat could be a thief's. */
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
  input: z.object({ card: Card }),
  ...OWN_CARD,
  risk: 'sensitive',
  holds: 'facts',
  resolve: resolveCard,
  resources: listCardResources,
  lock: cardLock,
  told: ['card'],
  preview: ({ card }) => ({
    what: say('cards.replaceOrder', { last4: card }),
    change: say('cards.replaceChange'),
    reach: say('cards.reach', { last4: card }),
    undo: say('cards.noUndo'),
  }),
  run: async ({ card }, { ports, actor, actionId }) => ports.cards.replace(card, { userKey: actor.userKey, actionId }),
  probe: (_input, context) => probeCard(context),
  phrases: {
    order: ({ card }) => say('cards.replaceOrder', { last4: card }),
    done: ({ before, last4, arrivesOn }) => say('cards.replaced', { before, last4, day: sayDay(arrivesOn) }),
  },
});
