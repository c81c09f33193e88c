import { abortAfter } from '@signalbox/contracts/time';
import { HumanMessage } from '@langchain/core/messages';
import { findModelFailure, type ModelFailure } from './retry/failure.ts';
import { openModel } from './open-models.ts';
import { loadPrices } from './prices.ts';
import type { ModelPlan, ModelSettings } from './settings.ts';

export type CallOutcome =
  | { readonly result: 'works'; readonly durationMs: number; readonly refusesTemperature: boolean }
  /** The model answered without calling the requested tool. */
  | { readonly result: 'no-call' }
  | { readonly result: 'failed'; readonly failure: ModelFailure };

const PING = {
  name: 'ping',
  description: 'Answers with pong.',
  schema: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
};

/**
 * Tests a model with one small call like an agent's: streamed and with a tool. Costs a few tokens. Returns failures; throws
 * CONFIG_INVALID when the price file cannot be read.
 */
export async function tryModel(settings: ModelSettings, plan: ModelPlan, deadlineMs: number): Promise<CallOutcome> {
  if (settings.provider === null) return { result: 'works', durationMs: 0, refusesTemperature: false };
  let refusesTemperature = false;
  const model = await openModel(settings, {
    observer: { onRefusedSetting: ({ setting }) => (refusesTemperature ||= setting === 'temperature') },
    catalog: () => ({ groups: [] }),
    prices: await loadPrices(plan.pricesFile),
    limits: { silenceMs: deadlineMs, deadlineMs },
    tries: 1,
  });
  const startedAt = performance.now();
  try {
    const { message } = await model.ask({
      messages: [new HumanMessage('Call the tool "ping" with the word "hello" now. Write nothing else.')],
      tools: [PING],
      object: null,
      signal: abortAfter(deadlineMs * 2), // the model's own deadline ends first
      draft: { tool: PING.name, field: 'word', show: () => undefined },
    });
    const called = message.tool_calls?.some((call) => call.name === PING.name) ?? false;
    if (!called) return { result: 'no-call' };
    return { result: 'works', durationMs: performance.now() - startedAt, refusesTemperature };
  } catch (thrown) {
    const failure = findModelFailure(thrown);
    if (!failure) throw thrown;
    return { result: 'failed', failure };
  }
}
