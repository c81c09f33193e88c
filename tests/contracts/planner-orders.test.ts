import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { PriorContext, explainMessage } from '@signalbox/planner/explanation';
import { EVERYDAY_TOOLS } from '@signalbox/worker/tools/everyday';
import { createRegistry, loadCapabilities } from '@signalbox/worker/tools/registry';

/*
 * Plain orders of every everyday tool in five languages. The frozen half was written before the planner knew the languages; its texts are
 * shown nowhere, so that nobody tunes for them. This prints the figures:
 *   npm test -- --project unit tests/contracts/planner-orders.test.ts
 */

const LANGUAGES = ['en', 'de', 'es', 'ru', 'zh'];
const Orders = z.record(z.string(), z.record(z.string(), z.array(z.string()).length(2)));
const { catalog } = createRegistry(await loadCapabilities());
const story = PriorContext.parse({
  names: { project: ['shop', 'blog'], server: ['local', 'web-1'], environment: ['staging', 'production', 'local'] },
});
/** Values of the orders, which a call must hold when the order names them. */
const VALUES = [
  'shop',
  'staging',
  'production',
  '1.4.2',
  'LOG_LEVEL',
  'debug',
  'README.md',
  '/health',
  'garden',
  'ls -la',
];

const readOrders = (set: 'development' | 'frozen') =>
  Orders.parse(JSON.parse(readFileSync(new URL(`./planner/orders-${set}.json`, import.meta.url), 'utf8')));

/** The tool that is called, asked about or offered first, with its arguments. */
function readFirst(text: string) {
  const { calls, question } = explainMessage(catalog, text, story);
  const [call] = calls;
  if (call) return { tool: call.tool, args: call.arguments };
  const [offered] = question?.readings ?? [];
  return { tool: offered?.tool ?? question?.tool ?? 'nothing', args: offered?.args ?? question?.args ?? {} };
}

function judge(set: 'development' | 'frozen') {
  return Object.entries(readOrders(set)).flatMap(([tool, orders]) =>
    Object.entries(orders).flatMap(([language, texts]) =>
      texts.map((text) => {
        const first = readFirst(text);
        const given = JSON.stringify(first.args);
        const isWhole = VALUES.every((value) => !text.includes(value) || given.includes(value));
        return { tool, language, text, right: first.tool === tool && isWhole, got: `${first.tool} ${given}` };
      }),
    ),
  );
}

const judged = { development: judge('development'), frozen: judge('frozen') };
const shareOf = (all: readonly { readonly right: boolean }[]): number =>
  Math.round((1_000 * all.filter(({ right }) => right).length) / all.length) / 10;
console.table(
  Object.entries(judged).map(([set, all]) => ({
    set,
    all: shareOf(all),
    ...Object.fromEntries(LANGUAGES.map((code) => [code, shareOf(all.filter(({ language }) => language === code))])),
  })),
);
const missed = judged.development.filter(({ right }) => !right);
if (missed.length > 0) console.table(missed);

describe('plain orders in five languages', () => {
  it('ask for every everyday tool, except for a plan, whose steps only a model finds', () => {
    for (const set of [readOrders('development'), readOrders('frozen')]) {
      expect(Object.keys(set).toSorted()).toEqual(EVERYDAY_TOOLS.filter((name) => name !== 'propose_plan').toSorted());
      expect(Object.values(set).every((orders) => LANGUAGES.every((code) => orders[code]?.length === 2))).toBe(true);
    }
  });

  it.each(['development', 'frozen'] as const)('call or first offer what 95 of 100 orders ask for: %s', (set) => {
    expect(shareOf(judged[set])).toBeGreaterThanOrEqual(95);
  });
});
