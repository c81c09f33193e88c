import { AIMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { AppError } from '@signalbox/contracts/errors';
import { createCircuit } from './circuit.ts';
import { createFallbackModel } from './fallback.ts';
import { ModelFailure, type ModelFailureReason } from './failure.ts';
import type { Model, ModelRequest } from '../port.ts';

const REASONS: readonly ModelFailureReason[] = [
  'timeout',
  'network',
  'cut',
  'rate-limited',
  'server-error',
  'no-credit',
  'unauthorized',
  'model-unknown',
];

const failing = (reason: ModelFailureReason): Error => new AppError('MODEL_UNAVAILABLE', {}, new ModelFailure(reason));

/** Models that answer or throw as planned, and count their calls. */
function open(...plan: readonly (Error | null)[]) {
  const asked = plan.map(() => 0);
  const outcome = [...plan];
  let nowMs = 0;
  const candidates = plan.map((_, index) => ({
    model: {
      name: `m${index}`,
      ask: () => {
        asked[index] = (asked[index] ?? 0) + 1;
        const thrown = outcome[index];
        return thrown ? Promise.reject(thrown) : Promise.resolve({ message: new AIMessage('x'), model: `m${index}` });
      },
    } satisfies Model,
    circuit: createCircuit(() => nowMs),
  }));
  const warned: unknown[] = [];
  const [first, ...rest] = candidates;
  if (!first) throw new Error('a plan needs a model');
  const model = createFallbackModel([first, ...rest], { warn: (_, fields) => warned.push(fields) });
  const request: ModelRequest = { messages: [], tools: [], object: null, signal: new AbortController().signal };
  return {
    ask: (signal?: AbortSignal) => model.ask({ ...request, ...(signal ? { signal } : {}) }),
    asked,
    warned,
    heal: (index: number) => (outcome[index] = null),
    fail: (index: number, thrown: Error) => (outcome[index] = thrown),
    wait: (ms: number) => (nowMs += ms),
  };
}

describe('fallback models', () => {
  it.each(REASONS)('answer when the main model fails with %s', async (reason) => {
    const { ask, warned } = open(failing(reason), null);
    expect((await ask()).model).toBe('m1');
    expect(warned).toEqual([expect.objectContaining({ failed: 'm0', asked: 'm1' })]);
  });

  it('are tried in order, up to the last', async () => {
    const { ask } = open(failing('network'), failing('unauthorized'), null);
    expect((await ask()).model).toBe('m2');
  });

  it.each([
    ['a request that is refused for what it asks', failing('refused')],
    ['a TypeError', new TypeError('x')],
    ['an answer that cannot be used', new AppError('MODEL_GARBAGE', {})],
  ])('are not tried after the failure %s', async (_, thrown) => {
    const { ask, asked } = open(thrown, null);
    await expect(ask()).rejects.toBe(thrown);
    expect(asked).toEqual([1, 0]);
  });

  it('are not tried after the turn was aborted', async () => {
    const { ask, asked } = open(failing('timeout'), null);
    await expect(ask(AbortSignal.abort(new Error('stop')))).rejects.toThrow();
    expect(asked).toEqual([1, 0]);
  });

  it('are asked directly for 30 s after a failure of the main model', async () => {
    const { ask, asked, heal, wait } = open(failing('timeout'), null);
    await ask();
    await ask();
    expect(asked).toEqual([1, 2]);
    heal(0);
    expect((await ask()).model).toBe('m1');
    wait(30_000);
    expect((await ask()).model).toBe('m0');
    expect((await ask()).model).toBe('m0');
  });

  it('are all tried again when every model has just failed', async () => {
    const { ask, asked, heal } = open(failing('network'), failing('server-error'));
    await expect(ask()).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE', cause: { code: 'server-error' } });
    heal(0);
    expect((await ask()).model).toBe('m0');
    expect(asked).toEqual([2, 1]);
  });
});
