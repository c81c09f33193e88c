import { createCounter, createHistogram, listSeries } from '@signalbox/platform/metrics';
import type { ModelObserver } from '@signalbox/models/port';
import type { createMetrics } from '@signalbox/platform/probe';
import { VECTOR_OUTCOMES, type VectorOutcome } from './tools/search/query-vector.ts';
import type { LaneOptions, TurnResult } from './turn/lanes.ts';

const TURN_RESULTS = [
  'finished',
  'yielded',
  'lost',
  'lost-again',
  'dead-lettered',
] as const satisfies readonly TurnResult[];

export function observeTurns(registry: ReturnType<typeof createMetrics>): NonNullable<LaneOptions['onTurn']> {
  const turns = createCounter(registry, 'signalbox_turns_total', 'Turns by result.', ['result'], {
    series: listSeries({ result: TURN_RESULTS }),
  });
  const duration = createHistogram(registry, 'signalbox_turn_duration_seconds', 'From begin to the end of a turn.', [
    'result',
  ]);
  return (result, durationMs) => {
    turns.add({ result });
    duration.observe({ result }, durationMs);
  };
}

export function observeModels(registry: ReturnType<typeof createMetrics>): ModelObserver {
  const calls = createCounter(registry, 'signalbox_model_calls_total', 'Calls of models by result.', [
    'model',
    'result',
  ]);
  const duration = createHistogram(registry, 'signalbox_model_call_duration_seconds', 'A call with all its tries.', [
    'model',
  ]);
  const tokens = createCounter(registry, 'signalbox_model_tokens_total', 'Tokens by kind: input, cached, output.', [
    'model',
    'kind',
  ]);
  const cost = createCounter(
    registry,
    'signalbox_model_cost_usd_total',
    'Cost of calls whose price is known, in USD.',
    ['model'],
  );
  return {
    onCall: ({ model, result, durationMs }) => {
      calls.add({ model, result });
      duration.observe({ model }, durationMs);
    },
    onSpend: ({ model, inputTokens, cachedTokens, outputTokens, costUsd }) => {
      tokens.add({ model, kind: 'input' }, inputTokens - cachedTokens);
      tokens.add({ model, kind: 'cached' }, cachedTokens);
      tokens.add({ model, kind: 'output' }, outputTokens);
      if (costUsd !== null) cost.add({ model }, costUsd);
    },
  };
}

/** Counts searches by how they came by vectors. */
export function observeVectors(registry: ReturnType<typeof createMetrics>): (outcome: VectorOutcome) => void {
  const help =
    'Searches with an embeddings endpoint: vectors used, failed, paused after a failure, or unready in the database.';
  const searches = createCounter(registry, 'signalbox_search_vectors_total', help, ['outcome'], {
    series: listSeries({ outcome: VECTOR_OUTCOMES }),
  });
  return (outcome) => searches.add({ outcome });
}
