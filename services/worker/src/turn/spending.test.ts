import { describe, expect, it } from 'vitest';
import { createUsageMeter } from './spending.ts';

const spend = (
  model: string,
  inputTokens: number,
  cachedTokens: number,
  outputTokens: number,
  costUsd: number | null,
) => ({
  model,
  inputTokens,
  cachedTokens,
  outputTokens,
  costUsd,
});

describe('the spending of a turn', () => {
  it('is the sum of its model calls, and lists each model', () => {
    const spending = createUsageMeter();
    spending.add(spend('p:small', 100, 0, 10, 0.001));
    spending.add(spend('p:large', 1_000, 800, 50, 0.02));
    spending.add(spend('p:large', 1_100, 1_000, 60, 0.01));
    expect(spending.model()).toBe('p:large');
    expect(spending.usage()).toEqual({
      inputTokens: 2_200,
      cachedTokens: 1_800,
      outputTokens: 120,
      costUsd: 0.031,
      models: [
        { model: 'p:small', calls: 1, inputTokens: 100, cachedTokens: 0, outputTokens: 10, costUsd: 0.001 },
        { model: 'p:large', calls: 2, inputTokens: 2_100, cachedTokens: 1_800, outputTokens: 110, costUsd: 0.03 },
      ],
    });
  });

  it('has no cost when the cost of one model call is unknown', () => {
    const spending = createUsageMeter();
    spending.add(spend('p:large', 1_000, 0, 50, 0.02));
    spending.add(spend('q:local', 900, 0, 40, null));
    expect(spending.usage()).toMatchObject({ inputTokens: 1_900, costUsd: null });
    expect(spending.usage()?.models.map(({ costUsd }) => costUsd)).toEqual([0.02, null]);
  });

  it('is null with the offline planner, although the planner is named as the model', () => {
    const spending = createUsageMeter();
    spending.add(spend('offline', 0, 0, 0, 0));
    expect(spending.usage()).toBeNull();
    expect(spending.model()).toBe('offline');
  });

  it('is null without a model name when no model was called', () => {
    expect(createUsageMeter().usage()).toBeNull();
    expect(createUsageMeter().model()).toBeNull();
  });
});
