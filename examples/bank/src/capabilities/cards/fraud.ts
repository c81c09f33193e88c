import { z } from 'zod';
import { say } from '@signalbox/messages/say';
import { tool } from '@signalbox/worker/tools/tool';
import { CardLast4, CARD_CHANGE, PROVEN_CARD_CHANGE } from './fields.ts';

/** Raising the risk of a card only adds caution, so nobody has to confirm it. */
export const raiseCardRisk = tool({
  describe: 'Note that a payment card of this person may be misused. The risk is only ever raised.',
  hints: [
    'raise the risk of card 4417',
    'raise the risk of my debit card to high',
    'note that my credit card may be misused',
    'mark my bank card as risky',
    'my payment card is at risk',
    'somebody may know my card number',
  ],
  input: z.object({
    card: CardLast4,
    risk: z.enum(['medium', 'high']).default('high').describe('How likely misuse is; high unless said otherwise'),
  }),
  ...CARD_CHANGE,
  run: async ({ card, risk }, { ports, actor, actionId }) =>
    ports.cards.raiseRisk(card, risk, { userKey: actor.userKey, actionId }),
  phrases: {
    order: ({ card, risk }) => say('cards.raiseOrder', { last4: card, risk }),
    done: ({ last4, risk }) => say('cards.riskIs', { last4, risk }),
  },
}).from({ last4: 'runtime', risk: 'runtime' });

const MAX_REPORTED = 20;

export const reportFraud = tool({
  describe: 'Report payments with a payment card of this person that they did not make.',
  hints: [
    'report fraud with my card 4417',
    'i did not make these card payments',
    'somebody paid with my credit card',
    'report a fraudulent payment of my debit card',
    'i do not recognize payments of my bank card',
    'dispute a card payment',
  ],
  input: z.object({
    card: CardLast4,
    transactions: z
      .array(z.string().regex(/^[\w-]{1,60}$/))
      .max(MAX_REPORTED)
      .default([])
      .describe('Ids of the payments; none when the person does not know which'),
  }),
  ...PROVEN_CARD_CHANGE,
  told: ['card', 'transactions'],
  preview: ({ card, transactions }) => ({
    what: say('cards.reportOrder', { last4: card, count: transactions.length, ids: transactions.join(', ') }),
    change: say('cards.reportChange'),
    reach: say('cards.reach', { last4: card }),
    undo: say('cards.noUndo'),
  }),
  run: async ({ card, transactions }, { ports, actor, actionId }) =>
    ports.cards.reportFraud(card, transactions, { userKey: actor.userKey, actionId }),
  phrases: {
    order: ({ card, transactions }) =>
      say('cards.reportOrder', { last4: card, count: transactions.length, ids: transactions.join(', ') }),
    done: ({ last4, transactions, caseId }) => say('cards.reported', { last4, count: transactions, case: caseId }),
  },
}).from({ last4: 'runtime', caseId: 'runtime', transactions: 'runtime' });
