import { describe, expect, it } from 'vitest';
import { PROVIDERS } from './providers/all.ts';
import { computeCost, loadPrices, type Prices } from './prices.ts';

const prices: Prices = new Map([
  ['p:m', { input: 2, cached: 0.5, cacheWrite: 2.5, output: 8 }],
  ['p:plain', { input: 2, output: 8 }],
]);
const tokens = { inputTokens: 1_000_000, cachedTokens: 400_000, cacheWriteTokens: 100_000, outputTokens: 250_000 };

describe('computeCost', () => {
  it('charges cached, cache-written and other input tokens at separate prices', () => {
    expect(computeCost(prices, 'p:m', tokens)).toBeCloseTo(0.5 * 2 + 0.4 * 0.5 + 0.1 * 2.5 + 0.25 * 8, 9);
  });

  it('charges cached input at the price of other input when the model has no cache price', () => {
    expect(computeCost(prices, 'p:plain', tokens)).toBeCloseTo(4, 9);
  });

  it('returns null, not 0, for a model without a price', () => {
    expect(computeCost(prices, 'p:other', tokens)).toBeNull();
    expect(computeCost(prices, 'q:m', tokens)).toBeNull();
  });

  it('charges a model whose name has a date at the price of the name without a date', () => {
    expect(computeCost(prices, 'p:m-2026-04-14', tokens)).toBe(computeCost(prices, 'p:m', tokens));
    expect(computeCost(prices, 'p:m-20260414', tokens)).toBe(computeCost(prices, 'p:m', tokens));
    expect(computeCost(prices, 'p:m-large', tokens)).toBeNull();
  });
});

describe('the model prices', () => {
  it('include the default model of every provider that publishes prices', async () => {
    const table = await loadPrices(null);
    const usual = PROVIDERS.map((provider) => `${provider.id}:${provider.read(DEFAULTS).model}`);
    const priced = usual.filter((name) => /^(openai|anthropic|google):/.test(name));
    expect(priced).toHaveLength(3);
    expect(priced.filter((name) => !table.has(name))).toEqual([]);
  });

  it('never charge more for cached input than for other input', async () => {
    for (const [name, { input, cached = input }] of await loadPrices(null))
      expect([name, cached <= input]).toEqual([name, true]);
  });

  it('are refused when their custom file is unreadable, with the name of the variable that names the file', async () => {
    await expect(loadPrices('/nowhere/prices.json')).rejects.toThrow(
      /MODEL_PRICES_FILE: \/nowhere\/prices.json cannot be read/,
    );
  });
});

const DEFAULTS = {};
