import { z } from 'zod';
import { say } from '@signalbox/messages/say';
import { tool } from '@signalbox/worker/tools/tool';
import { Card, cardLock, listCardResources, OWN_CARD, probeCard, resolveCard } from './fields.ts';

/** Needs no proof of who asks, whatever the risk: it only protects, and it is taken back. */
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
  input: z.object({ card: Card }),
  ...OWN_CARD,
  risk: 'sensitive',
  holds: 'facts',
  resources: ({ card }) => [`card:${card}`],
  lock: cardLock,
  told: ['card'],
  preview: ({ card }) => ({
    what: say('cards.freezeOrder', { last4: card }),
    change: say('cards.freezeChange'),
    reach: say('cards.reach', { last4: card }),
    undo: say('cards.freezeUndo'),
  }),
  run: async ({ card }, { ports, actor, actionId }) => ports.cards.freeze(card, { userKey: actor.userKey, actionId }),
  probe: (_input, context) => probeCard(context),
  phrases: {
    order: ({ card }) => say('cards.freezeOrder', { last4: card }),
    done: ({ last4, wasFrozen }) => say('cards.frozen', { last4, wasFrozen }),
  },
});

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
  input: z.object({ card: Card }),
  ...OWN_CARD,
  risk: 'sensitive',
  holds: 'facts',
  resolve: resolveCard,
  resources: listCardResources,
  lock: cardLock,
  told: ['card'],
  preview: ({ card }) => ({
    what: say('cards.unfreezeOrder', { last4: card }),
    change: say('cards.unfreezeChange'),
    reach: say('cards.reach', { last4: card }),
    undo: say('cards.unfreezeUndo'),
  }),
  run: async ({ card }, { ports, actor, actionId }) => ports.cards.unfreeze(card, { userKey: actor.userKey, actionId }),
  probe: (_input, context) => probeCard(context),
  phrases: {
    order: ({ card }) => say('cards.unfreezeOrder', { last4: card }),
    done: ({ last4 }) => say('cards.unfrozen', { last4 }),
  },
});
