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
  system: z.tuple([Block]),
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

  /** The requests of a conversation that has loaded its group: the question, the call of a tool, its result. */
  const converse = async (id: string) => {
    const provider = TESTED_PROVIDERS.find((candidate) => candidate.id === id);
    const wire = await bench.serve(spine({ usage: null }));
    await bench.startWorker({ env: { MODEL: id, ...provider?.env(wire.url) } });
    for (const words of ['I need a port', 'shop', 'I need a port', 'shop']) await bench.ask(words);
    return wire
      .requests()
      .map(({ body }) => body)
      .slice(3);
  };

  it('is marked twice for Anthropic: after the shared instructions, and after the conversation so far', async () => {
    const passes = (await converse('anthropic')).map((body) => AnthropicBody.parse(body));
    const [always] = new Set(passes.map((body) => body.system[0].text));
    for (const { system, messages } of passes) {
      expect(system[0]).toEqual({ text: always, cache_control: { type: 'ephemeral' } });
      expect(JSON.stringify(messages.at(-1))).toContain('cache_control');
    }
    expect(new Set(passes.map(({ tools }) => JSON.stringify(tools))).size).toBe(1);
    expect(always).not.toContain('shop');
    // The facts of the moment stand before the newest words, and name what the person wrote.
    const told = passes.map(({ messages }) => JSON.stringify(messages));
    expect(told[0]).toMatch(/\[Facts of the moment.*Known projects: shop.*\[End of the facts\].*I need a port/s);
  });

  it('is repeated unchanged at the beginning of the next request to other providers', async () => {
    const [question, act, result] = (await converse('openai')).map((body) => OpenAiBody.parse(body));
    expect(act?.tools).toEqual(question?.tools);
    expect(act?.messages[0]).toEqual(question?.messages[0]);
    // Only the message with the facts of the moment is another one, as soon as it is not the newest.
    const asked = (question?.messages.length ?? 0) - 1;
    expect(act?.messages.slice(0, asked)).toEqual(question?.messages.slice(0, asked));
    expect(act?.messages[asked]?.content).toBe('I need a port');
    expect(result?.tools).toEqual(act?.tools);
    expect(result?.messages.slice(0, act?.messages.length)).toEqual(act?.messages);
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
    for (const words of ['I need a port', 'shop', 'I need a port', 'shop']) await bench.ask(words);
    const counts = cache.counts();
    expect(counts[0]?.cachedTokens).toBe(0);
    const [question, act, result] = counts.slice(3);
    // The second turn reads at least the tools and the rules of the first, which are most of its input.
    expect(act?.cachedTokens).toBeGreaterThan((question?.inputTokens ?? 0) / 2);
    expect(result?.cachedTokens).toBeGreaterThan((act?.inputTokens ?? 0) * 0.85);
    const sum = (counts: readonly (CacheCounts | undefined)[], of: keyof CacheCounts): number =>
      counts.reduce((total, one) => total + (one?.[of] ?? 0), 0);
    const expected = [[question], [act, result]].map((turn) => {
      const inputTokens = sum(turn, 'inputTokens');
      const cachedTokens = sum(turn, 'cachedTokens');
      const writtenTokens = sum(turn, 'writtenTokens');
      const plain = inputTokens - cachedTokens - writtenTokens;
      const dollars =
        plain * prices.input +
        cachedTokens * prices.cached +
        writtenTokens * prices.written +
        50 * turn.length * prices.output;
      return {
        inputTokens,
        cachedTokens,
        outputTokens: 50 * turn.length,
        costUsd: expect.closeTo(dollars / 1e6, 8) as number,
      };
    });
    expect((await bench.turns()).slice(2).map(({ usage }) => usage)).toMatchObject(expected);
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
