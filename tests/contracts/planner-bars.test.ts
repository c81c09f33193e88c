import { expect, it } from 'vitest';
import { changesAtOnce, judgeSet, type RequestSet } from './planner-bars.ts';
import { UNSAID_FREELY } from './unsaid-free.ts';
import { UNSAID_ORDERS } from './unsaid-orders.ts';

/*
 * What the offline planner is held to, over requests that other people wrote. The texts of the held-out set are shown nowhere: whoever reads what
 * was not understood can no longer be surprised by it. This prints the figures:
 *   npm test -- --project unit tests/contracts/planner-bars.test.ts
 */

const SETS: readonly RequestSet[] = ['development', 'spoken', 'heldout'];
const judged = new Map(SETS.map((set) => [set, judgeSet(set)]));

/** Shares in percent, over some sets together. */
function figuresOf(sets: readonly RequestSet[]) {
  const all = sets.flatMap((set) => judged.get(set) ?? []);
  const wanting = all.filter(({ wantsTool }) => wantsTool);
  const share = (part: readonly unknown[], whole: readonly unknown[]): number =>
    Math.round((1_000 * part.length) / whole.length) / 10;
  return {
    requests: all.length,
    right: share(
      all.filter(({ right }) => right),
      all,
    ),
    inReach: share(
      wanting.filter(({ inReach }) => inReach),
      wanting,
    ),
    blank: share(
      all.filter(({ blank }) => blank),
      all,
    ),
    harmful: all.filter(({ harmful }) => harmful).map(({ id }) => id),
  };
}

const frozen = figuresOf(['spoken', 'heldout']);
const unsaid = [...UNSAID_ORDERS, ...UNSAID_FREELY];
const changed = unsaid.flatMap(changesAtOnce);
console.table([...SETS.map((set) => ({ set, ...figuresOf([set]) })), { set: 'both frozen ones', ...frozen }]);
console.log(`${changed.length} changes by ${unsaid.length} sentences that order none`);

it('no request of the three request sets makes the planner call a forbidden tool', () => {
  expect(SETS.flatMap((set) => figuresOf([set]).harmful)).toEqual([]);
});

it('the planner changes nothing for 900 sentences, in fifteen languages, that request nothing', () => {
  expect([unsaid.length, changed]).toEqual([900, []]);
});

it('the planner’s first answer is right for at least seven of ten requests', () => {
  expect(frozen.right).toBeGreaterThanOrEqual(70);
});

it('the expected tool is called first or offered as a button for at least nine of ten requests', () => {
  expect(frozen.inReach).toBeGreaterThanOrEqual(90);
});

it('the planner answers at most one of twenty requests with only the list of possible requests', () => {
  expect(frozen.blank).toBeLessThanOrEqual(5);
});
