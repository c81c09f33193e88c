import { describe, expect, it } from 'vitest';
import { judgeOrder, readOrders } from './planner/strangers.ts';

/*
 * Plain orders, written by somebody who had not seen the code. The words of the planner were widened by the orders of the first half, those
 * with an even place; the others are shown nowhere, so that nobody tunes for them. This prints the figures:
 *   npm test -- --project unit tests/contracts/planner-strangers.test.ts
 */

const LANGUAGES = ['en', 'de', 'es', 'ru', 'zh'];
const judged = readOrders().map((order, place) => ({
  ...judgeOrder(order),
  half: place % 2 === 0 ? 'shown' : 'blind',
}));
type Judged = (typeof judged)[number];
const shareOf = (all: readonly Judged[]): number =>
  Math.round((1_000 * all.filter(({ right }) => right).length) / all.length) / 10;
const halfOf = (half: string): readonly Judged[] => judged.filter((one) => one.half === half);

console.table(
  ['shown', 'blind'].map((half) => ({
    half,
    all: shareOf(halfOf(half)),
    ...Object.fromEntries(LANGUAGES.map((code) => [code, shareOf(halfOf(half).filter(({ lang }) => lang === code))])),
  })),
);

describe('orders by somebody who had not seen the code', () => {
  it('are six for each of 26 tools in each of five languages', () => {
    const counts = new Map<string, number>();
    for (const { tool, lang } of judged) counts.set(`${tool} ${lang}`, (counts.get(`${tool} ${lang}`) ?? 0) + 1);
    expect([counts.size, ...new Set(counts.values())]).toEqual([26 * 5, 6]);
  });

  it.each([
    ['shown', 98],
    ['blind', 90],
  ])('call or first offer the tool that they want, with its arguments: the %s half', (half, bar) => {
    expect(shareOf(halfOf(half))).toBeGreaterThanOrEqual(bar);
  });

  it('that no tool carries out change nothing, and neither do those that only look', () => {
    const looking = judged.filter(({ mayChange, changes }) => !mayChange && changes.length > 0);
    expect(looking.map(({ tool, changes }) => `${tool}: ${changes.join()}`)).toEqual([]);
  });
});
