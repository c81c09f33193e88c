import { definePlugin } from '@signalbox/plugins/plugin';
import { ERRORS } from './errors.ts';
import { listChallenges, markSent } from './store/code-challenges.ts';
import { seedDemoCards } from './store/demo-cards.ts';

/** The plug-in of a bank: an agent for lost payment cards and an agent for mortgages. */
export default definePlugin({
  name: 'bank',
  worker: () => import('./worker.ts'),
  languages: new URL('./languages/', import.meta.url),
  errors: ERRORS,
  ownErrorFields: ['last4', 'known', 'unknown'],
  migrations: new URL('../postgres/', import.meta.url),
  tables: {
    cards: { worker: 'select, insert, update' },
    card_cases: { worker: 'select, insert, update' },
    card_transactions: { worker: 'select, update (case_id)' },
    card_events: { worker: 'select, insert' },
    // The gateway stores a keyed hash of the code, never the code itself.
    card_step_ups: { worker: 'select, insert, update', gateway: 'select, update (mark, sent_at, expires_at)' },
    card_verifications: { worker: 'select, insert, update' },
    bank_branches: { worker: 'select' },
    mortgage_products: { worker: 'select' },
    mortgage_addresses: { worker: 'select' },
    mortgage_branch_requests: { worker: 'select, insert' },
  },
  policies: new URL('../policy/', import.meta.url),
  challenges: { list: listChallenges, markSent },
  seedDemo: seedDemoCards,
});
