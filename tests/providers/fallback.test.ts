import { AppError } from '@signalbox/contracts/errors';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Fault, ModelWire } from '../support/model-wire.ts';
import { eventually } from '../support/until.ts';
import { openModelBench, PERSON, type ModelBench } from './bench.ts';
import { QUESTION, spine, TESTED_PROVIDERS } from './providers.ts';

const script = spine({ usage: null });
const AWAY = /^The language model is not answering/;

/** OpenAI's client on one server, Anthropic's on another. */
describe('fallback models', () => {
  let bench: ModelBench;
  let first: ModelWire;
  let second: ModelWire;
  beforeEach(async () => {
    bench = await openModelBench();
    [first, second] = [await bench.serve(script), await bench.serve(script)];
  });
  afterEach(() => bench.close());

  const start = (env: Record<string, string>) => {
    const access = (id: string, { url }: ModelWire) =>
      TESTED_PROVIDERS.find((provider) => provider.id === id)?.env(url);
    return bench.startWorker({
      env: { MODEL: 'openai', ...access('openai', first), ...access('anthropic', second), ...env },
    });
  };
  const models = async (): Promise<readonly (string | null)[]> => (await bench.turns()).map(({ model }) => model);

  it.each<[string, Fault, Record<string, string>, number]>([
    ['refuses the key', { status: 401 }, {}, 1],
    ['knows no such model', { status: 404 }, {}, 1],
    ['wants a long wait', { status: 429, retryAfterSeconds: 60 }, {}, 1],
    ['does not answer within its deadline', 'silence', { MODEL_DEADLINE_MS: '4000' }, 1],
  ])(
    'the next model answers when the first one %s, and the record of the turn says so',
    async (_, fault, env, asked) => {
      await start({ ...env, MODEL_FALLBACK: 'anthropic' });
      first.plan(fault);
      expect(await bench.ask('I need a port')).toEqual([QUESTION]);
      expect(await models()).toEqual(['anthropic:claude-sonnet-5']);
      expect(first.requests()).toHaveLength(asked);
    },
  );

  it('a model that failed is not asked again for a while', async () => {
    await start({ MODEL_FALLBACK: 'anthropic' });
    first.plan({ status: 401 });
    await bench.ask('I need a port');
    await bench.ask('shop');
    expect(first.requests()).toHaveLength(1); // it would answer by now
    expect(second.requests()).toHaveLength(3);
  });

  it('the built-in planner answers questions but changes nothing when no model server answers', async () => {
    await start({ MODEL_FALLBACK: 'anthropic,offline' });
    await Promise.all([first.close(), second.close()]);
    expect((await bench.ask('I need a port')).join()).toMatch(
      /^I did not do this: Allocate port\. The language model does/,
    );
    expect((await bench.ask('list the projects')).join()).toMatch(/shop/);
    expect(await models()).toEqual(['offline', 'offline']);
  });

  it('a request that the first model refuses is not sent to the next model', async () => {
    await start({ MODEL_FALLBACK: 'anthropic' });
    first.plan({ status: 400 });
    expect((await bench.ask('I need a port')).join()).toContain('does not take our requests');
    expect(second.requests()).toEqual([]);
    expect(await bench.turns()).toMatchObject([{ outcome: 'failed' }]);
  });

  it('an aborted request is not sent to the next model', async () => {
    await start({ MODEL_FALLBACK: 'anthropic' });
    first.plan('silence');
    await bench.say(PERSON, 'I need a port');
    await eventually(
      () => Promise.resolve(first.open()),
      (open) => open === 1,
    );
    await bench.stop(PERSON);
    await eventually(
      () => Promise.resolve(first.abandoned()),
      (abandoned) => abandoned === 1,
      20_000, // the call would end by itself after a minute
    );
    await bench.settle();
    expect(second.requests()).toEqual([]);
    expect(await bench.turns()).toMatchObject([{ outcome: 'stopped' }]);
  });

  it('the person is notified once when no model answers, and the next message is answered', async () => {
    await start({});
    first.plan({ status: 500 }, { status: 500 }, { status: 500 });
    expect((await bench.ask('I need a port')).join()).toMatch(AWAY);
    expect(first.requests()).toHaveLength(3);
    expect((await bench.ask('shop')).join()).toMatch(/^Done: port/);
  });

  it('each node of an agent can have its own model', async () => {
    await start({ MODEL_FOR: 'product_owner.product_owner=anthropic:claude-haiku-4-5' });
    await bench.ask('I need a port');
    expect(second.requests().map(({ body }) => body['model'])).toEqual(['claude-haiku-4-5']);
    expect(first.requests()).toEqual([]);
    expect(await models()).toEqual(['anthropic:claude-haiku-4-5']);
    const [turn] = await bench.turns();
    expect(turn?.usage?.models.map(({ model }) => model)).toEqual(['anthropic:claude-haiku-4-5']);
  });

  it('each agent can have its own model, with the same fallback models', async () => {
    await start({ MODEL_FOR: 'product_owner=anthropic', MODEL_FALLBACK: 'openai' });
    second.plan({ status: 401 });
    expect(await bench.ask('I need a port')).toEqual([QUESTION]);
    expect(second.requests()).toHaveLength(1);
    expect(await models()).toEqual(['openai:gpt-4.1-mini']);
  });

  it('a worker refuses to start with a model for an unknown node, and lists the known nodes', async () => {
    const started = start({ MODEL_FOR: 'product_owner.intent=anthropic' });
    await expect(started).rejects.toThrow(AppError);
    await expect(started).rejects.toThrow(
      'MODEL_FOR: there is no agent or node product_owner.intent; there are product_owner, product_owner.intent_parser, product_owner.product_owner, repo_analyst, repo_analyst.intent_parser, repo_analyst.product_owner, lost_card, lost_card.ingest_input, mortgage, mortgage.ingest_input',
    );
  });
});
