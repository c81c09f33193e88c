import { HumanMessage } from '@langchain/core/messages';
import { readConfig } from '@signalbox/platform/config';
import { openModel } from '@signalbox/models/open-models';
import { findModelFailure } from '@signalbox/models/retry/failure';
import { ModelConfig, readModelPlan } from '@signalbox/models/settings';
import { afterEach, describe, expect, it } from 'vitest';
import {
  eventStream,
  openAiStream,
  startModelReplay,
  type ModelReplay,
  type ReplayedAnswer,
} from '../support/model-replay.ts';
import { TESTED_PROVIDERS } from './providers.ts';

const SILENCE_MS = 400;
/** A machine that is busy may be late, but not that late. */
const LATE_MS = 3_000;

const piece = (content: string, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason }],
});
const WHOLE = openAiStream(piece('It '), piece('is '), piece('port '), piece('8101.'), piece('', 'stop'));
const HALF = WHOLE.slice(0, WHOLE.indexOf('8101'));
const COMMENTS = ': keep-alive\n\n'.repeat(100);

describe('how long a model is waited for', () => {
  let server: ModelReplay;
  afterEach(() => server.close());

  const ask = async (answers: readonly ReplayedAnswer[], env: Record<string, string> = {}) => {
    server = await startModelReplay(...answers);
    const access = TESTED_PROVIDERS.find(({ id }) => id === 'openai_compatible')?.env(server.url);
    const config = { MODEL: 'openai_compatible', MODEL_TIMEOUT_MS: String(SILENCE_MS), ...access, ...env };
    const { main, limits } = readModelPlan(readConfig(ModelConfig, config));
    const model = await openModel(main, { catalog: () => ({ groups: [] }), prices: new Map(), limits, tries: 2 });
    const startedAt = performance.now();
    const result = await model
      .ask({ messages: [new HumanMessage('hello')], tools: [], object: null, signal: new AbortController().signal })
      .then(
        ({ message }) => message.text,
        (thrown: unknown) => findModelFailure(thrown)?.code,
      );
    return { result, tookMs: performance.now() - startedAt };
  };

  it('is as long as an answer keeps coming, although the whole takes longer than MODEL_TIMEOUT_MS', async () => {
    const { result, tookMs } = await ask([{ body: WHOLE, pauseMs: SILENCE_MS / 4 }]);
    expect(result).toBe('It is port 8101.');
    expect(tookMs).toBeGreaterThan(2 * SILENCE_MS);
    expect(server.requests()).toBe(1);
  });

  it.each<[string, ReplayedAnswer]>([
    ['begins no answer', { body: '', staysOpen: true }],
    ['stops in the middle of an answer', { body: HALF, staysOpen: true }],
    ['stops in the middle of a refusal', { status: 500, body: '{"error":', staysOpen: true }],
  ])('is MODEL_TIMEOUT_MS of silence when a server %s, and then it is asked again', async (_, silent) => {
    const { result, tookMs } = await ask([silent, { body: WHOLE }]);
    expect(result).toBe('It is port 8101.');
    expect(server.requests()).toBe(2);
    expect(tookMs).toBeGreaterThanOrEqual(SILENCE_MS);
    expect(tookMs).toBeLessThan(SILENCE_MS + LATE_MS);
  });

  it('ends with a time-out when the server stays silent', async () => {
    const silent: ReplayedAnswer = { body: HALF, staysOpen: true };
    expect((await ask([silent, silent])).result).toBe('timeout');
    expect(server.requests()).toBe(2);
  });

  it.each<[string, ReplayedAnswer]>([
    ['an answer without end', { body: eventStream(piece('It ')) + COMMENTS, pauseMs: SILENCE_MS / 4, staysOpen: true }],
    ['signs of life and no answer', { body: COMMENTS, pauseMs: SILENCE_MS / 4, staysOpen: true }],
    ['a refusal without end', { status: 503, body: ' \n'.repeat(100), pauseMs: SILENCE_MS / 4, staysOpen: true }],
  ])('is MODEL_DEADLINE_MS at most for %s', async (_, trickle) => {
    const { result, tookMs } = await ask([trickle, trickle], { MODEL_DEADLINE_MS: '1200' });
    expect(result).toBe('timeout');
    expect(tookMs).toBeGreaterThanOrEqual(1_190);
    expect(tookMs).toBeLessThan(1_200 + LATE_MS);
    expect(server.requests()).toBe(1);
  });
});
