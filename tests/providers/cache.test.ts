import { AIMessage, HumanMessage, SystemMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import { readConfig } from '@signalbox/platform/config';
import { openModel } from '@signalbox/models/open-models';
import { ModelConfig, readModelPlan } from '@signalbox/models/settings';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openModelBench, type ModelBench } from './bench.ts';
import { createAnthropicCache, createOpenAiCache, type CacheCounts } from './prompt-cache.ts';
import { spine, TESTED_PROVIDERS } from './providers.ts';

const Block = z.object({ text: z.string(), cache_control: z.unknown().optional() });
const AnthropicBody = z.object({
  system: z.tuple([Block, Block]),
  tools: z.array(z.unknown()).optional(),
  messages: z.array(z.object({ role: z.string(), content: z.unknown() })),
});
const OpenAiBody = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.string().nullable() })),
  tools: z.array(z.unknown()).optional(),
});

/** Providers keep the beginning of a prompt as long as it is the same, byte by byte. */
describe('the cached part of a prompt', () => {
  let bench: ModelBench;
  beforeEach(async () => {
    bench = await openModelBench();
  });
  afterEach(() => bench.close());

  /** The requests of a conversation: the intent, the question, the call of a tool, its result. */
  const converse = async (id: string) => {
    const provider = TESTED_PROVIDERS.find((candidate) => candidate.id === id);
    const wire = await bench.serve(spine({ usage: null }));
    await bench.startWorker({ env: { MODEL: id, ...provider?.env(wire.url) } });
    await bench.ask('I need a port');
    await bench.ask('shop');
    return wire.requests().map(({ body }) => body);
  };

  it('is marked twice for Anthropic: after the shared instructions, and after the conversation so far', async () => {
    const [intent, ...passes] = (await converse('anthropic')).map((body) => AnthropicBody.parse(body));
    const [always] = new Set([intent, ...passes].map((body) => body?.system[0].text));
    for (const body of [intent, ...passes]) {
      expect(body?.system[0]).toEqual({ text: always, cache_control: { type: 'ephemeral' } });
      expect(body?.system[1].cache_control).toBeUndefined();
      const marked = body?.messages.map(({ content }) => JSON.stringify(content).includes('cache_control'));
      expect(marked?.indexOf(true)).toBe((marked?.length ?? 0) - 1);
    }
    expect(new Set(passes.map(({ tools }) => JSON.stringify(tools))).size).toBe(1);
    expect(always).not.toContain('shop');
    // The second part names what the person wrote, and nothing before they did.
    expect(intent?.system[1].text).not.toContain('shop');
    expect(passes.at(-1)?.system[1].text).toContain('shop');
  });

  it('is repeated unchanged at the beginning of the next request to other providers', async () => {
    const [, question, act, result] = (await converse('openai')).map((body) => OpenAiBody.parse(body));
    expect(act?.tools).toEqual(question?.tools);
    expect(act?.messages.slice(1, question?.messages.length)).toEqual(question?.messages.slice(1));
    // The names that the person wrote may have changed between these two, and nothing before them.
    const system = (body: typeof act): string => body?.messages[0]?.content ?? '';
    const upTo = system(act).indexOf('Known names:');
    expect(upTo).toBeGreaterThan(500);
    expect(system(act).slice(0, upTo)).toBe(system(question).slice(0, upTo));
    expect(system(result).slice(0, upTo)).toBe(system(act).slice(0, upTo));
    expect(result?.messages.slice(1, act?.messages.length)).toEqual(act?.messages.slice(1));
  });

  /** Dollars for a million tokens of input, read from the cache, written to it, and of output: infra/models/prices.json. */
  it.each([
    ['anthropic', createAnthropicCache, { input: 2, cached: 0.2, written: 2.5, output: 10 }],
    ['openai', createOpenAiCache, { input: 0.4, cached: 0.1, written: 0.4, output: 1.6 }],
  ])('is counted and paid for as the server counts it: %s', async (id, create, prices) => {
    const provider = TESTED_PROVIDERS.find((candidate) => candidate.id === id);
    const cache = create();
    const wire = await bench.serve(spine({ usage: provider?.usage ?? null }), cache.rewrite);
    await bench.startWorker({ env: { MODEL: id, ...provider?.env(wire.url) } });
    await bench.ask('I need a port');
    await bench.ask('shop');
    const [intent, question, act, result] = cache.counts();
    expect(intent?.cachedTokens).toBe(0);
    // The second turn reads at least the tools and the rules of the first, which are most of its input.
    expect(act?.cachedTokens).toBeGreaterThan((question?.inputTokens ?? 0) / 2);
    expect(result?.cachedTokens).toBeGreaterThan((act?.inputTokens ?? 0) * 0.85);
    const sum = (counts: readonly (CacheCounts | undefined)[], of: keyof CacheCounts): number =>
      counts.reduce((total, one) => total + (one?.[of] ?? 0), 0);
    const expected = [
      [intent, question],
      [act, result],
    ].map((turn) => {
      const inputTokens = sum(turn, 'inputTokens');
      const cachedTokens = sum(turn, 'cachedTokens');
      const writtenTokens = sum(turn, 'writtenTokens');
      const plain = inputTokens - cachedTokens - writtenTokens;
      const dollars =
        plain * prices.input + cachedTokens * prices.cached + writtenTokens * prices.written + 100 * prices.output;
      return { inputTokens, cachedTokens, outputTokens: 100, costUsd: expect.closeTo(dollars / 1e6, 8) as number };
    });
    expect((await bench.turns()).map(({ usage }) => usage)).toMatchObject(expected);
  });

  it.each([
    ['anthropic', createAnthropicCache],
    ['openai', createOpenAiCache],
  ])('holds the conversation too when the facts of the moment come last: %s', async (id, create) => {
    const cache = create();
    const wire = await bench.serve(() => ({ content: 'Hi.', usage: { input_tokens: 1 } }), cache.rewrite);
    const env = TESTED_PROVIDERS.find((candidate) => candidate.id === id)?.env(wire.url);
    const { main, limits } = readModelPlan(readConfig(ModelConfig, { MODEL: id, ...env }));
    const model = await openModel(main, { catalog: () => ({ groups: [] }), prices: new Map(), limits });
    const tools = ['look', 'act'].map((name) => ({ name, description: 'x'.repeat(6_000), schema: { type: 'object' } }));
    const rules = new SystemMessage('r'.repeat(2_000));
    const said: BaseMessage[] = [];
    const ask = async (moment: SystemMessage, since: readonly BaseMessage[]) => {
      const messages = [rules, ...said, moment, ...since];
      await model.ask({ messages, tools, object: null, signal: new AbortController().signal });
    };
    for (let turn = 1; turn <= 10; turn += 1) {
      const moment = new SystemMessage(`Turn ${turn}. ${'f'.repeat(1_000)}`);
      const since: BaseMessage[] = [new HumanMessage(`${turn} ${'w'.repeat(200)}`)];
      await ask(moment, since);
      const tool_calls = [{ id: `call_${turn}`, name: 'look', args: { turn } }];
      since.push(new AIMessage({ content: '', tool_calls }));
      since.push(new ToolMessage({ tool_call_id: `call_${turn}`, content: `${turn} ${'o'.repeat(2_000)}` }));
      await ask(moment, since);
      said.push(...since, new AIMessage('It is done.'));
    }
    const [first, ...later] = cache.counts();
    const share = (of: keyof CacheCounts): number => later.reduce((total, counts) => total + counts[of], 0);
    expect(first?.cachedTokens).toBe(0);
    expect(later).toHaveLength(19);
    expect(share('cachedTokens') / share('inputTokens')).toBeGreaterThan(0.85);
  });
});
