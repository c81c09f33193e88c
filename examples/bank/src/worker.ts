import { defineWorkerParts } from '@signalbox/worker/plugin-parts';
import cardTools from './capabilities/cards.ts';
import mortgageTools from './capabilities/mortgage.ts';
import lostCard from './lost-card/index.ts';
import mortgage from './mortgage/index.ts';
import { createCards } from './store/cards.ts';
import { createMortgages } from './store/mortgages.ts';

declare module '@signalbox/worker/tools/ports/ports' {
  interface Ports {
    readonly cards: ReturnType<typeof createCards>;
    /** Access to mortgage products, the register of addresses, and branch visits. */
    readonly mortgage: ReturnType<typeof createMortgages>;
  }
}

export default defineWorkerParts({
  agents: [lostCard, mortgage],
  groups: [cardTools, mortgageTools],
  ports: ({ pool, notify }) => ({ cards: createCards(pool, notify), mortgage: createMortgages(pool) }),
});
