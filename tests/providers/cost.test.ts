import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ModelWire } from '../support/model-wire.ts';
import { eventually } from '../support/until.ts';
import { openTerminal } from '../integration/cli/terminal.ts';
import { openModelBench, PERSON, type ModelBench } from './bench.ts';
import { spine, TESTED_PROVIDERS, type TestedProvider } from './providers.ts';

const find = (id: string): TestedProvider => {
  const provider = TESTED_PROVIDERS.find((candidate) => candidate.id === id);
  if (!provider) throw new Error(`there is no ${id}`);
  return provider;
};

/** Each answer of the script uses 1,000 tokens of input and 50 of output. */
describe('the cost of a turn', () => {
  let bench: ModelBench;
  let wire: ModelWire;
  beforeEach(async () => {
    bench = await openModelBench();
  });
  afterEach(() => bench.close());

  const start = async (id: string, env: Record<string, string> = {}) => {
    const provider = find(id);
    wire = await bench.serve(spine(provider));
    return bench.startWorker({ env: { MODEL: id, ...provider.env(wire.url), ...env } });
  };

  // Dollars: a call of 1,000 tokens of input and 50 of output, at the prices of infra/models/prices.json.
  it.each([
    ['openai', (1_000 * 0.4 + 50 * 1.6) / 1e6],
    ['anthropic', (1_000 * 2 + 50 * 10) / 1e6],
    ['google', (1_000 * 0.75 + 50 * 3.75) / 1e6],
  ])('is stored in the record of the turn: %s', async (id, costUsd) => {
    await start(id);
    await bench.ask('I need a port');
    const sums = {
      inputTokens: 1_000,
      cachedTokens: 0,
      outputTokens: 50,
      costUsd: expect.closeTo(costUsd, 9) as number,
    };
    const models = [{ model: find(id).model, calls: 1, ...sums }];
    expect((await bench.turns()).map(({ usage }) => usage)).toEqual([{ ...sums, models }]);
  });

  it.each([
    ['azure_openai', 1_000],
    ['ollama', 0], // aimock's Ollama counts nothing, which the real one does
  ])('is unknown and not 0 for a model without a price: %s', async (id, inputTokens) => {
    await start(id);
    await bench.ask('I need a port');
    const [turn] = await bench.turns();
    expect(turn?.usage).toMatchObject({ inputTokens, costUsd: null });
  });

  it('follows a custom price table', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'prices-')), 'prices.json');
    const models = { 'azure_openai:chat': { input: 1, output: 10 } };
    writeFileSync(file, JSON.stringify({ source: 'a contract', asOf: '2026-01-01', models }));
    await start('azure_openai', { MODEL_PRICES_FILE: file });
    await bench.ask('I need a port');
    const [turn] = await bench.turns();
    expect(turn?.usage?.costUsd).toBeCloseTo((1_000 + 500) / 1e6, 9);
  });

  it('is counted when the person stopped the turn', async () => {
    await start('openai');
    await bench.ask('I need a port');
    wire.plan(null, 'silence'); // the call of the tool, then nothing
    await bench.say(PERSON, 'shop');
    await eventually(
      () => Promise.resolve(wire.requests().length),
      (asked) => asked === 3,
    );
    await bench.stop(PERSON);
    await bench.settle();
    expect((await bench.turns()).slice(1)).toMatchObject([
      { outcome: 'stopped', model: 'openai:gpt-4.1-mini', usage: { inputTokens: 1_000, outputTokens: 50 } },
    ]);
  });

  it('is counted when the turn failed', async () => {
    await start('openai');
    await bench.ask('I need a port');
    wire.plan(null, { status: 401 });
    await bench.ask('shop');
    expect((await bench.turns()).slice(1)).toMatchObject([
      { outcome: 'failed', usage: { inputTokens: 1_000, outputTokens: 50 } },
    ]);
  });

  it('includes the tokens used before the worker died', async () => {
    await start('openai', { WORKER_NAME: 'first', LANE_LEASE_MS: '60000' });
    await bench.ask('I need a port');
    wire.plan(null, 'silence'); // the call of the tool, then nothing: the first worker never gets past it
    await bench.say(PERSON, 'shop');
    await eventually(
      () => Promise.resolve(wire.requests().length),
      (asked) => asked === 3,
    );
    await bench.pool.query(`update lanes set lease_until = now() - interval '1 s', worker = 'gone'`);
    const env = { MODEL: 'openai', ...find('openai').env(wire.url), WORKER_NAME: 'second' };
    await bench.startWorker({ env });
    await bench.wake(PERSON);
    await bench.settle();
    expect((await bench.replies(PERSON)).at(-1)).toMatch(/^Done: port/);
    const [, turn] = await bench.turns();
    expect(turn).toMatchObject({ outcome: 'answered', usage: { inputTokens: 2_000, outputTokens: 100 } });
    expect(turn?.usage?.models).toMatchObject([{ calls: 2 }]);
  });

  it('is empty with the built-in planner', async () => {
    await bench.startWorker({ env: { MODEL: 'offline' } });
    await bench.ask('list the servers');
    expect(await bench.turns()).toMatchObject([{ model: 'offline', usage: null }]);
  });

  it('is shown with the tokens by `threads show`', async () => {
    await start('openai');
    await bench.ask('I need a port');
    const signalbox = openTerminal({
      DATABASE_URL: bench.databaseUrl,
      REDIS_URL: bench.redisUrl,
      REDIS_PREFIX: bench.prefix,
      SIGNALBOX_RUN_FILE: '/nowhere/run.json',
    });
    const { out } = await signalbox('threads', 'show', 'user_7_1');
    expect(out).toMatch(/MODEL +TOKENS +COST/);
    expect(out).toMatch(/openai:gpt-4.1-mini +1000 \+ 50 +\$0\.00048/);
    const { json } = await signalbox('threads', 'show', 'user_7_1', '--json');
    expect(json).toMatchObject({ turns: [{ model: 'openai:gpt-4.1-mini', usage: { inputTokens: 1_000 } }] });
  });

  it('is counted in the metrics of the worker', async () => {
    const { probePort } = await start('openai');
    wire.plan({ status: 401 });
    await bench.ask('I need a port'); // refused
    await bench.ask('I need a port');
    const text = await (await fetch(`http://127.0.0.1:${probePort}/metrics`)).text();
    const model = 'model="openai:gpt-4.1-mini"';
    const figure = (name: string, ...labels: readonly string[]): number => {
      const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`));
      return Number(
        lines
          .find((line) => [model, ...labels].every((label) => line.includes(label)))
          ?.split(' ')
          .at(-1),
      );
    };
    expect(figure('signalbox_model_calls_total', 'result="answered"')).toBe(1);
    expect(figure('signalbox_model_calls_total', 'result="unauthorized"')).toBe(1);
    expect(figure('signalbox_model_call_duration_seconds_count')).toBe(2);
    expect(figure('signalbox_model_tokens_total', 'kind="input"')).toBe(1_000);
    expect(figure('signalbox_model_tokens_total', 'kind="output"')).toBe(50);
    expect(figure('signalbox_model_cost_usd_total')).toBeCloseTo(0.00048, 9);
  });
});
