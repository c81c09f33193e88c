import { HumanMessage } from '@langchain/core/messages';
import { readConfig } from '@signalbox/platform/config';
import { openModel } from '@signalbox/models/open-models';
import type { Model, ModelSpend } from '@signalbox/models/port';
import { getReasoning } from '@signalbox/models/answers/reasoning';
import { loadPrices } from '@signalbox/models/prices';
import { ModelConfig, readModelPlan } from '@signalbox/models/settings';
import { afterEach, describe, expect, it } from 'vitest';
import { eventStream, startModelReplay, type ModelReplay, type ReplayedAnswer } from '../support/model-replay.ts';
import { TESTED_PROVIDERS } from './providers.ts';

/** What the real servers send and aimock does not: counts of their caches, errors inside a stream, signatures, odd refusals. */
describe('the client of a model provider', () => {
  let server: ModelReplay;
  afterEach(() => server.close());

  const open = async (id: string, ...answers: readonly ReplayedAnswer[]): Promise<Model> => {
    server = await startModelReplay(...answers);
    const provider = TESTED_PROVIDERS.find((candidate) => candidate.id === id);
    const { main, limits } = readModelPlan(readConfig(ModelConfig, { MODEL: id, ...provider?.env(server.url) }));
    return openModel(main, { catalog: () => ({ groups: [] }), prices: await loadPrices(null), limits });
  };
  const ask = async (model: Model) => {
    const spent: ModelSpend[] = [];
    const { message } = await model.ask({
      messages: [new HumanMessage('hello')],
      tools: [{ name: 'list', description: 'Lists.', schema: { type: 'object', properties: {} } }],
      object: null,
      signal: new AbortController().signal,
      onSpend: (spend) => spent.push(spend),
    });
    return { message, spent };
  };

  const openAi = (...parts: readonly Record<string, unknown>[]): string =>
    eventStream(...parts.map((part) => ({ id: 'x', object: 'chat.completion.chunk', model: 'm', ...part })), '[DONE]');
  const said = { choices: [{ index: 0, delta: { role: 'assistant', content: 'Hi.' }, finish_reason: null }] };
  const stopped = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
  const anthropic = (...events: readonly Record<string, unknown>[]): string =>
    eventStream(
      {
        type: 'message_start',
        message: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: 'm',
          content: [],
          stop_reason: null,
          usage: {
            input_tokens: 40,
            cache_creation_input_tokens: 200,
            cache_read_input_tokens: 3_000,
            output_tokens: 3,
          },
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi.' } },
      ...events,
    );
  const anthropicEnd = [
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 12 } },
    { type: 'message_stop' },
  ];

  it('counts the cached tokens of OpenAI', async () => {
    const usage = { prompt_tokens: 3_000, completion_tokens: 12, prompt_tokens_details: { cached_tokens: 2_048 } };
    const model = await open('openai', { body: openAi(said, stopped, { choices: [], usage }) });
    const { message, spent } = await ask(model);
    expect(message.text).toBe('Hi.');
    const costUsd = (952 * 0.4 + 2_048 * 0.1 + 12 * 1.6) / 1e6;
    expect(spent).toEqual([
      {
        model: 'openai:gpt-4.1-mini',
        inputTokens: 3_000,
        cachedTokens: 2_048,
        outputTokens: 12,
        costUsd: expect.closeTo(costUsd, 9) as number,
      },
    ]);
  });

  it('counts the cache reads and writes of Anthropic, and its output tokens once', async () => {
    const { spent } = await ask(await open('anthropic', { body: anthropic(...anthropicEnd) }));
    const costUsd = (40 * 2 + 3_000 * 0.2 + 200 * 2.5 + 12 * 10) / 1e6;
    expect(spent).toMatchObject([
      { inputTokens: 3_240, cachedTokens: 3_000, outputTokens: 12, costUsd: expect.closeTo(costUsd, 9) as number },
    ]);
  });

  it('counts the thinking and cached tokens of Google, and keeps the signature of a tool call', async () => {
    const parts = [{ functionCall: { name: 'list', args: {} }, thoughtSignature: 'sig-1' }];
    const usageMetadata = {
      promptTokenCount: 2_000,
      cachedContentTokenCount: 1_500,
      candidatesTokenCount: 10,
      thoughtsTokenCount: 30,
      totalTokenCount: 2_040,
    };
    const candidate = { content: { role: 'model', parts }, finishReason: 'STOP', index: 0 };
    const model = await open('google', { body: eventStream({ candidates: [candidate], usageMetadata }) });
    const { message, spent } = await ask(model);
    expect(message.tool_calls).toMatchObject([{ name: 'list', args: {} }]);
    expect(message.additional_kwargs).toEqual({ kept: { model: 'google:gemini-3.8-flash', data: ['sig-1'] } });
    expect(spent).toMatchObject([{ inputTokens: 2_000, cachedTokens: 1_500, outputTokens: 40 }]);
  });

  it('keeps the reasoning of a model, and shows it to nobody', async () => {
    const usage = { prompt_tokens: 3, completion_tokens: 2 };
    const thinks = (text: string) => ({
      choices: [{ index: 0, delta: { role: 'assistant', reasoning_content: text }, finish_reason: null }],
    });
    const asOpenAi = openAi(thinks('They ask '), thinks('for a greeting.'), said, stopped, { choices: [], usage });
    const thinking = [
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'thinking', thinking: '', signature: '' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'thinking_delta', thinking: 'They ask ' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'thinking_delta', thinking: 'for a greeting.' } },
      { type: 'content_block_stop', index: 1 },
      ...anthropicEnd.slice(1),
    ];
    const parts = [{ text: 'They ask for a greeting.', thought: true }, { text: 'Hi.' }];
    const candidate = { content: { role: 'model', parts }, finishReason: 'STOP', index: 0 };
    const lines = [
      { message: { role: 'assistant', content: '', thinking: 'They ask ' }, done: false },
      { message: { role: 'assistant', content: 'Hi.', thinking: 'for a greeting.' }, done: false },
      { message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop' },
    ].map((fields) => `${JSON.stringify({ model: 'qwen3', created_at: '', ...fields })}\n`);
    const answers: readonly [string, ReplayedAnswer][] = [
      ['openai_compatible', { body: asOpenAi }],
      ['anthropic', { body: anthropic(...thinking) }],
      ['google', { body: eventStream({ candidates: [candidate] }) }],
      ['ollama', { type: 'application/x-ndjson', body: lines.join('') }],
    ];
    for (const [id, answer] of answers) {
      const { message } = await ask(await open(id, answer));
      expect([id, message.text, getReasoning(message)]).toEqual([id, 'Hi.', 'They ask for a greeting.']);
      await server.close();
    }
  });

  it('counts the tokens of Ollama, which have no price', async () => {
    const line = (fields: object): string => `${JSON.stringify({ model: 'qwen3', created_at: '', ...fields })}\n`;
    const body =
      line({ message: { role: 'assistant', content: 'Hi.' }, done: false }) +
      line({
        message: { role: 'assistant', content: '' },
        done: true,
        done_reason: 'stop',
        prompt_eval_count: 700,
        eval_count: 9,
      });
    const { message, spent } = await ask(await open('ollama', { type: 'application/x-ndjson', body }));
    expect(message.text).toBe('Hi.');
    expect(spent).toMatchObject([{ inputTokens: 700, outputTokens: 9, costUsd: null }]);
  });

  it('retries after an error inside the stream, and counts the tokens of both attempts', async () => {
    const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    const model = await open('anthropic', { body: anthropic(overloaded) }, { body: anthropic(...anthropicEnd) });
    const { message, spent } = await ask(model);
    expect(message.text).toBe('Hi.');
    expect(spent.map(({ outputTokens }) => outputTokens)).toEqual([3, 12]);
  });

  it.each<[string, string, ReplayedAnswer, string, number]>([
    [
      'Google’s refusal of a key, which is a 400',
      'google',
      {
        status: 400,
        type: 'application/json',
        body: '{"error":{"code":400,"message":"API key not valid","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}',
      },
      'unauthorized',
      1,
    ],
    [
      'Anthropic’s empty account, which is a 400 too',
      'anthropic',
      {
        status: 400,
        type: 'application/json',
        body: '{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the API."}}',
      },
      'no-credit',
      1,
    ],
    [
      'OpenAI’s empty account, which is a 429',
      'openai',
      {
        status: 429,
        type: 'application/json',
        body: '{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}',
      },
      'no-credit',
      1,
    ],
    [
      'Azure’s deployment that is not there',
      'azure_openai',
      {
        status: 404,
        type: 'application/json',
        body: '{"error":{"code":"DeploymentNotFound","message":"The API deployment does not exist."}}',
      },
      'model-unknown',
      1,
    ],
    [
      'Ollama’s model that cannot call tools',
      'ollama',
      { status: 400, type: 'application/json', body: '{"error":"gemma does not support tools"}' },
      'refused',
      1,
    ],
    [
      'the page of a proxy',
      'openai',
      { status: 502, type: 'text/html', body: '<html>bad gateway</html>' },
      'server-error',
      3,
    ],
    ['a page where a stream should be', 'openai', { type: 'text/html', body: '<html>log in</html>' }, 'not-chat', 1],
    ['nothing at all', 'anthropic', { body: '' }, 'cut', 3],
  ])('recognizes %s', async (_, id, answer, reason, tries) => {
    const model = await open(id, answer, answer, answer);
    await expect(ask(model)).rejects.toMatchObject({ cause: { code: reason } });
    expect(server.requests()).toBe(tries);
  });

  it.each([{ 'retry-after-ms': '900' }, { 'retry-after': '1' }])(
    "waits as long as the server's header asks: %j",
    async (headers) => {
      const busy = { status: 429, type: 'application/json', headers, body: '{}' };
      const model = await open('openai', busy, { body: openAi(said, stopped) });
      const startedAt = performance.now();
      await ask(model);
      expect(performance.now() - startedAt).toBeGreaterThanOrEqual(890); // own pauses begin below 500 ms
    },
  );

  it('does not wait for an unreasonably long retry-after', async () => {
    const busy = { status: 429, type: 'application/json', headers: { 'retry-after': '3600' }, body: '{}' };
    const model = await open('openai', busy);
    await expect(ask(model)).rejects.toMatchObject({ cause: { code: 'rate-limited', retryAfterMs: 3_600_000 } });
    expect(server.requests()).toBe(1);
  });
});
