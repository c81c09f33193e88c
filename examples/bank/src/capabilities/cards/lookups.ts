import { z } from 'zod';
import { toPlainName } from '@signalbox/contracts/plain-name';
import { say } from '@signalbox/messages/say';
import { LOOK_UP_DEFAULTS, tool } from '@signalbox/worker/tools/tool';
import { CardLast4 } from './fields.ts';
import { sayAmount, sayCard, sayDay } from './words.ts';

export const listCards = tool({
  describe: 'List the payment cards of this person: last four digits, state and risk.',
  hints: [
    'list my payment cards',
    'show my bank cards',
    'which payment cards do i have',
    'is my credit card frozen',
    'state of my debit card',
    'my cards at the bank',
  ],
  input: z.object({}),
  ...LOOK_UP_DEFAULTS,
  touchesPrivate: true,
  run: async (_input, { ports, actor }) => ({
    cards: await ports.cards.list(actor.userKey),
    cancelled: await ports.cards.cancelled(actor.userKey),
    isVerified: await ports.cards.isVerified(actor.userKey),
  }),
  phrases: {
    done: ({ cards }) =>
      cards.length === 0 ? say('cards.none') : cards.map((card) => `- ${sayCard(card)}`).join('\n'),
  },
}).from({
  isVerified: 'runtime',
  cancelled: { last4: 'runtime', successor: 'runtime' },
  cards: {
    last4: 'runtime',
    kind: 'runtime',
    status: 'runtime',
    risk: 'runtime',
    isReported: 'runtime',
    arrivesOn: 'runtime',
  },
});

export const listCardTransactions = tool({
  describe: 'List what was paid lately with one of this person’s payment cards; suspicious payments are marked.',
  hints: [
    'list the payments of my debit card',
    'show the transactions of card 4417',
    'what was paid with my credit card',
    'last payments of my bank card',
    'card transactions of 4417',
    'which card payments look suspicious',
  ],
  input: z.object({
    card: CardLast4,
    limit: z.int().min(1).max(30).default(10).describe('How many, the newest; ten unless said otherwise'),
  }),
  ...LOOK_UP_DEFAULTS,
  touchesPrivate: true,
  run: async ({ card, limit }, { ports, actor }) => ({
    transactions: await ports.cards.transactions(actor.userKey, card, limit),
  }),
  phrases: {
    done: ({ transactions }, { card }) => {
      if (transactions.length === 0) return say('cards.noTransactions', { last4: card });
      const lines = transactions.map(({ at, merchant, amountMinor, currency, ...payment }) =>
        say('cards.transaction', {
          day: sayDay(at),
          merchant: toPlainName(merchant),
          amount: sayAmount(amountMinor, currency),
          mark: markOf(payment),
        }),
      );
      return [say('cards.transactions', { last4: card }), lines.map((line) => `- ${line}`).join('\n')].join('\n\n');
    },
  },
}).from({
  transactions: {
    transactionId: 'runtime',
    amountMinor: 'runtime',
    currency: 'runtime',
    at: 'runtime',
    isReported: 'runtime',
    isSuspicious: 'runtime',
    merchant: 'outside',
  },
});

function markOf(payment: { readonly isSuspicious: boolean; readonly isReported: boolean }): string {
  if (payment.isReported) return 'reported';
  return payment.isSuspicious ? 'suspicious' : 'none';
}

export const findBranches = tool({
  describe: 'Find branches of the bank, in one city or everywhere, with their opening hours.',
  hints: [
    'find a bank branch',
    'where is the nearest branch of the bank',
    'bank branches in Hamburg',
    'opening hours of the bank branch',
    'which bank branch is open',
    'address of a branch of the bank',
  ],
  input: z.object({ city: z.string().trim().min(1).max(80).optional().describe('Only of this city') }),
  ...LOOK_UP_DEFAULTS,
  run: async ({ city = null }, { ports }) => ({ branches: await ports.cards.branches(city) }),
  phrases: {
    done: ({ branches }, { city = '' }) => {
      if (branches.length === 0) return say('cards.noBranch', { hasCity: city !== '', city: toPlainName(city) });
      return branches.map((branch) => `- ${say('cards.branch', { ...branch })}`).join('\n');
    },
  },
}).from({ branches: { name: 'manual', city: 'manual', street: 'manual', hours: 'manual' } });
