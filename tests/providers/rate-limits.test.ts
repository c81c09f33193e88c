import { randomBytes } from 'node:crypto';
import { HumanMessage } from '@langchain/core/messages';
import { openModels } from '@signalbox/models/open-models';
import type { Model, ModelRequest } from '@signalbox/models/port';
import { runAsCaller } from '@signalbox/models/retry/gate';
import { ModelConfig, readModelPlan } from '@signalbox/models/settings';
import { readConfig } from '@signalbox/platform/config';
import { createLog } from '@signalbox/platform/log';
import { createPermitQueues } from '@signalbox/platform/permits/permit-queue';
import { closeRedis, openRedis } from '@signalbox/platform/redis';
import { beforeEach, expect, inject, onTestFinished, test } from 'vitest';
import { serveModel, type ModelAnswer, type ModelServer } from '../support/model-server.ts';

const log = createLog('test', 'silent');
let prefix: string;
beforeEach(() => {
  prefix = `r${randomBytes(4).toString('hex')}:`;
});

/** The model of one worker process, with its own connection to the shared Redis. */
async function openWorkerModel(env: Readonly<Record<string, string>>): Promise<Model> {
  const config = readConfig(ModelConfig, env);
  const redis = openRedis(inject('redisUrl'), log);
  onTestFinished(() => closeRedis(redis));
  await redis.ping();
  const gates = createPermitQueues({ redis, prefix, max: config.MODEL_CONCURRENCY ?? null, log });
  const models = await openModels(readModelPlan(config), { catalog: () => ({ groups: [] }), log, gates });
  return models.of('product_owner', 'product_owner');
}

const access = (server: ModelServer): Record<string, string> => ({
  MODEL: 'openai_compatible:test',
  OPENAI_COMPATIBLE_BASE_URL: server.url,
  OPENAI_COMPATIBLE_API_KEY: 'a key that nobody may read',
});

/** A provider that answers so many at once, and refuses all others. */
async function serve(most: number, takesMs: number, answer: ModelAnswer = { content: 'Good day.' }) {
  const seen = { running: 0, refused: 0, answered: 0 };
  const server = await serveModel(async () => {
    if (seen.running >= most) {
      seen.refused += 1;
      return { status: 429, retryAfterSeconds: 1 };
    }
    seen.running += 1;
    await new Promise((resolve) => setTimeout(resolve, takesMs));
    seen.running -= 1;
    seen.answered += 1;
    return answer;
  });
  onTestFinished(() => server.close());
  return { server, seen };
}

const ask = (model: Model, userKey: string, more: Partial<ModelRequest> = {}): Promise<string> =>
  runAsCaller({ userKey, onWait: () => undefined }, async () => {
    const signal = new AbortController().signal;
    const request = { messages: [new HumanMessage('hello')], tools: [], object: null, signal, ...more };
    return (await model.ask(request)).message.text;
  });

test('a provider that takes four calls at once refuses few of two workers, and everybody is answered', async () => {
  const { server, seen } = await serve(4, 300);
  const models = [await openWorkerModel(access(server)), await openWorkerModel(access(server))];
  for (const model of models) await ask(model, 'first'); // what is loaded once takes longer than a call
  const calls = Array.from({ length: 40 }, async (_, at) => {
    // They come one after another, as people do.
    await new Promise((resolve) => setTimeout(resolve, at * 40));
    const model = models[at % 2];
    return model ? ask(model, `person-${at}`) : '';
  });
  expect(new Set(await Promise.all(calls))).toEqual(new Set(['Good day.']));
  expect(seen.answered).toBe(42);
  // Those that were under way when the limit was met. The calls after them wait.
  expect(seen.refused).toBeGreaterThan(0);
  expect(seen.refused).toBeLessThan(10);
});

test('with MODEL_CONCURRENCY two workers never ask more at once, and no key is readable in Redis', async () => {
  const { server, seen } = await serve(3, 50);
  const env = { ...access(server), MODEL_CONCURRENCY: '3' };
  const models = [await openWorkerModel(env), await openWorkerModel(env)];
  await Promise.all(Array.from({ length: 20 }, (_, at) => ask(models[at % 2] as Model, `person-${at}`))); // there are two
  expect(seen).toMatchObject({ answered: 20, refused: 0 });
  const redis = openRedis(inject('redisUrl'), log);
  onTestFinished(() => closeRedis(redis));
  expect((await redis.keys(`${prefix}*`)).join()).not.toContain('nobody may read');
});

test('a call that waits for its provider until its deadline fails with the error of a model that is away', async () => {
  const { server } = await serve(0, 0);
  const model = await openWorkerModel({ ...access(server), MODEL_DEADLINE_MS: '2500' });
  await expect(ask(model, 'ann')).rejects.toMatchObject({
    code: 'MODEL_UNAVAILABLE',
    cause: { code: 'rate-limited' },
  });
});

test('while a provider asks for a long pause, the fallback answers, and the first model is asked again right after it', async () => {
  const busy = { until: Number.POSITIVE_INFINITY, asked: 0 };
  const server = await serveModel(() => {
    busy.asked += 1;
    return performance.now() < busy.until ? { status: 429, retryAfterSeconds: 60 } : { content: 'first' };
  });
  onTestFinished(() => server.close());
  const other = await serveModel(() => ({ content: 'second' }));
  onTestFinished(() => other.close());
  const env = {
    ...access(server),
    OPENAI_BASE_URL: other.url,
    OPENAI_API_KEY: 'other',
    MODEL_FALLBACK: 'openai',
  };
  const model = await openWorkerModel(env);
  expect(await ask(model, 'ann')).toBe('second');
  expect(await ask(model, 'ben')).toBe('second');
  expect(busy.asked).toBe(1); // the pause is known
  busy.until = 0;
  const redis = openRedis(inject('redisUrl'), log);
  onTestFinished(() => closeRedis(redis));
  const [pause = ''] = await redis.keys(`${prefix}*pause`);
  await redis.del(pause); // it is over
  expect(await ask(model, 'ann')).toBe('first');
});

test('a person who stops waits for no provider', async () => {
  const { server } = await serve(1, 3_000);
  const model = await openWorkerModel({ ...access(server), MODEL_CONCURRENCY: '1' });
  const first = ask(model, 'ann');
  const stop = new AbortController();
  const second = ask(model, 'ben', { signal: stop.signal });
  setTimeout(() => stop.abort(new Error('stopped')), 300);
  const startedAt = performance.now();
  await expect(second).rejects.toThrow('stopped');
  expect(performance.now() - startedAt).toBeLessThan(1_000);
  await first;
});
