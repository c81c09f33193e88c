import { describe, expect, it } from 'vitest';
import { PROVIDERS } from './providers/all.ts';
import { costOf, loadPrices, type Prices } from './prices.ts';

const prices: Prices = new Map([
  ['p:m', { input: 2, cached: 0.5, cacheWrite: 2.5, output: 8 }],
  ['p:plain', { input: 2, output: 8 }],
]);
const tokens = { inputTokens: 1_000_000, cachedTokens: 400_000, cacheWriteTokens: 100_000, outputTokens: 250_000 };

describe('what a call cost', () => {
  it('counts cached, written and other input apart', () => {
    expect(costOf(prices, 'p:m', tokens)).toBeCloseTo(0.5 * 2 + 0.4 * 0.5 + 0.1 * 2.5 + 0.25 * 8, 9);
  });

  it('takes the price of all input where the cache has none', () => {
    expect(costOf(prices, 'p:plain', tokens)).toBeCloseTo(4, 9);
  });

  it('is not known for a model without a price, and never 0', () => {
    expect(costOf(prices, 'p:other', tokens)).toBeNull();
    expect(costOf(prices, 'q:m', tokens)).toBeNull();
  });

  it('is that of the undated name for a dated one', () => {
    expect(costOf(prices, 'p:m-2026-04-14', tokens)).toBe(costOf(prices, 'p:m', tokens));
    expect(costOf(prices, 'p:m-20260414', tokens)).toBe(costOf(prices, 'p:m', tokens));
    expect(costOf(prices, 'p:m-large', tokens)).toBeNull();
  });
});

describe('the prices that come with the product', () => {
  it('know the usual model of every provider that has a price list', async () => {
    const table = await loadPrices(null);
    const usual = PROVIDERS.map((provider) => `${provider.id}:${provider.read(DEFAULTS).model}`);
    const priced = usual.filter((name) => /^(openai|anthropic|google):/.test(name));
    expect(priced).toHaveLength(3);
    expect(priced.filter((name) => !table.has(name))).toEqual([]);
  });

  it('never make the cache dearer than other input, save for writing', async () => {
    for (const [name, { input, cached = input }] of await loadPrices(null))
      expect([name, cached <= input]).toEqual([name, true]);
  });

  it('are refused with the name of the variable when the own table cannot be read', async () => {
    await expect(loadPrices('/nowhere/prices.json')).rejects.toThrow(
      /MODEL_PRICES_FILE: \/nowhere\/prices.json cannot be read/,
    );
  });
});

const DEFAULTS = {};
