import type { TurnUsage } from '@signalbox/store/turns/lanes';
import type { ModelSpend } from '@signalbox/models/port';

export type UsageMeter = ReturnType<typeof createUsageMeter>;

/** Counts the model usage of one turn in memory, even if the turn fails. */
export function createUsageMeter() {
  const spends: ModelSpend[] = [];
  return {
    add: (spend: ModelSpend) => void spends.push(spend),
    model: () => spends.at(-1)?.model ?? null,
    /** Sums tokens and USD so far; unknown values count as nothing. */
    used: () => ({
      tokens: spends.reduce((total, { inputTokens, outputTokens }) => total + inputTokens + outputTokens, 0),
      costUsd: spends.reduce((total, { costUsd }) => total + (costUsd ?? 0), 0),
    }),
    /** Returns null without counted usage, as with the offline planner. */
    usage(): TurnUsage | null {
      if (spends.every(({ inputTokens, outputTokens, costUsd }) => inputTokens + outputTokens === 0 && costUsd === 0))
        return null;
      const names = [...new Set(spends.map(({ model }) => model))];
      return {
        ...sumOf(spends),
        models: names.map((model) => {
          const own = spends.filter((spend) => spend.model === model);
          return { model, calls: own.length, ...sumOf(own) };
        }),
      };
    },
  };
}

/** Sums usage; one unknown part makes a sum unknown, since people would believe a cost that is too low. */
function sumOf(spends: readonly ModelSpend[]): Omit<TurnUsage, 'models'> {
  const sum = (pick: (spend: ModelSpend) => number): number => spends.reduce((total, spend) => total + pick(spend), 0);
  return {
    inputTokens: sum(({ inputTokens }) => inputTokens),
    cachedTokens: sum(({ cachedTokens }) => cachedTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    costUsd: spends.some(({ costUsd }) => costUsd === null) ? null : sum(({ costUsd }) => costUsd ?? 0),
  };
}
