import { defineWorkerParts } from '@signalbox/worker/plugin-parts';
import cardTools from './capabilities/cards.ts';
import mortgageTools from './capabilities/mortgage.ts';
import lostCard from './lost-card/index.ts';
import mortgage from './mortgage/index.ts';
import { createCards } from './store/cards.ts';
import { createMortgages } from './store/mortgages.ts';

declare module '@signalbox/worker/tools/ports/ports' {
  interface Ports {
    /** Payment cards of the people themselves. */
    readonly cards: ReturnType<typeof createCards>;
    /** Products, the register of addresses, and visits to a branch. */
    readonly mortgage: ReturnType<typeof createMortgages>;
  }
}

export default defineWorkerParts({
  agents: [lostCard, mortgage],
  groups: [cardTools, mortgageTools],
  ports: ({ pool, notify }) => ({ cards: createCards(pool, notify), mortgage: createMortgages(pool) }),
});
