import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import { readConfig } from '@signalbox/platform/config';
import { openModel } from '@signalbox/models/open-models';
import { ModelConfig, readModelPlan } from '@signalbox/models/settings';
import { afterEach, describe, expect, it } from 'vitest';
import {
  eventStream,
  openAiStream,
  startModelReplay,
  type ModelReplay,
  type ReplayedAnswer,
} from '../support/model-replay.ts';
import { openModelBench, type ModelBench } from './bench.ts';
import { TESTED_PROVIDERS } from './providers.ts';

const refusal = (status: number, body: unknown): ReplayedAnswer => ({
  status,
  type: 'application/json',
  body: JSON.stringify(body),
});
const HI: Readonly<Record<string, ReplayedAnswer>> = {
  openai: {
    body: openAiStream({
      choices: [{ index: 0, delta: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }],
    }),
  },
  anthropic: {
    body: eventStream(
      {
        type: 'message_start',
        message: {
          id: 'm',
          type: 'message',
          role: 'assistant',
          model: 'm',
          content: [],
          stop_reason: null,
          usage: { input_tokens: 1, output_tokens: 1 },
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi.' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
      { type: 'message_stop' },
    ),
  },
  google: {
    body: eventStream({
      candidates: [{ content: { role: 'model', parts: [{ text: 'Hi.' }] }, finishReason: 'STOP', index: 0 }],
    }),
  },
  ollama: {
    type: 'application/x-ndjson',
    body: `${JSON.stringify({ model: 'qwen3', created_at: '', message: { role: 'assistant', content: 'Hi.' }, done: true, done_reason: 'stop' })}\n`,
  },
};

/** Refusals as the servers publish them, or as they were seen. */
const REFUSALS: readonly (readonly [string, string, ReplayedAnswer])[] = [
  [
    'OpenAI',
    'openai',
    refusal(400, {
      error: {
        message:
          "This model's maximum context length is 128000 tokens. However, your messages resulted in 140211 tokens. Please reduce the length of the messages.",
        type: 'invalid_request_error',
        param: 'messages',
        code: 'context_length_exceeded',
      },
    }),
  ],
  [
    'Azure',
    'azure_openai',
    refusal(400, {
      error: {
        message: 'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300201 tokens.',
        type: 'invalid_request_error',
        param: 'messages',
        code: 'context_length_exceeded',
      },
    }),
  ],
  [
    'Anthropic',
    'anthropic',
    refusal(400, {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' },
    }),
  ],
  [
    'Anthropic for a body that is too large',
    'anthropic',
    refusal(413, { type: 'error', error: { type: 'request_too_large', message: 'Request exceeds the maximum size' } }),
  ],
  [
    'Google',
    'google',
    refusal(400, {
      error: {
        code: 400,
        message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
        status: 'INVALID_ARGUMENT',
      },
    }),
  ],
  [
    'vLLM',
    'openai_compatible',
    refusal(400, {
      object: 'error',
      message:
        "This model's maximum context length is 16384 tokens. However, your messages resulted in 20000 tokens. Please reduce the length of the messages.",
      type: 'BadRequestError',
      param: null,
      code: 400,
    }),
  ],
  [
    'LiteLLM',
    'openai_compatible',
    refusal(400, {
      error: {
        message:
          'litellm.ContextWindowExceededError: litellm.BadRequestError: ContextWindowExceededError: OpenAIException - the messages are too long',
        type: null,
        param: null,
        code: '400',
      },
    }),
  ],
  [
    'llama.cpp',
    'openai_compatible',
    refusal(400, {
      error: {
        code: 400,
        message: 'request (9021 tokens) exceeds the available context size (8192 tokens), try increasing it',
        type: 'exceed_context_size_error',
        n_prompt_tokens: 9021,
        n_ctx: 8192,
      },
    }),
  ],
  [
    'LM Studio inside its stream',
    'openai_compatible',
    {
      body: 'event: error\ndata: {"error":{"message":"Trying to keep the first 9021 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough."}}\n\n',
    },
  ],
  [
    'Mistral',
    'openai_compatible',
    refusal(400, {
      object: 'error',
      message: 'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
      type: 'invalid_request_error',
      param: null,
      code: '3051',
    }),
  ],
  [
    'Ollama',
    'ollama',
    refusal(400, {
      error:
        '{"error":{"code":400,"message":"request (20351 tokens) exceeds the available context size (16384 tokens), try increasing it","type":"exceed_context_size_error"}}',
    }),
  ],
];

const long = (name: string): string => JSON.stringify({ ok: true, result: { words: `${name} `.repeat(200) } });
const look = (name: string, place: number): readonly BaseMessage[] => [
  new AIMessage({ content: '', tool_calls: [{ id: name, name: 'read_logs', args: {} }] }),
  new ToolMessage({
    tool_call_id: name,
    name: 'read_logs',
    content: long(name),
    additional_kwargs: { handle: `res_${place + 1}` },
  }),
];
const CONVERSATION = [
  new HumanMessage('what is wrong?'),
  ...['first', 'second', 'third', 'fourth'].flatMap(look),
  new HumanMessage('and now?'),
];

describe('a conversation that is longer than the model takes', () => {
  let server: ModelReplay;
  let bench: ModelBench | null = null;
  afterEach(async () => {
    await server.close();
    await bench?.close();
    bench = null;
  });

  const ask = async (id: string, messages: readonly BaseMessage[], ...answers: readonly ReplayedAnswer[]) => {
    server = await startModelReplay(...answers);
    const env = TESTED_PROVIDERS.find((provider) => provider.id === id)?.env(server.url);
    const { main, limits } = readModelPlan(readConfig(ModelConfig, { MODEL: id, ...env }));
    const model = await openModel(main, { catalog: () => ({ groups: [] }), prices: new Map(), limits });
    return model.ask({ messages, tools: [], object: null, signal: new AbortController().signal });
  };
  /** The results that are still whole in each request. */
  const kept = (): readonly (readonly string[])[] =>
    server.bodies().map((body) => {
      const sent = JSON.stringify(body);
      return ['first', 'second', 'third', 'fourth'].filter((name) => sent.includes(`${name} ${name}`));
    });

  it.each(REFUSALS)('is sent again without its oldest results when refused by %s', async (_, id, refused) => {
    const hi = HI[id] ?? HI['openai'] ?? { body: '' };
    const { message } = await ask(id, CONVERSATION, refused, hi);
    expect(message.text).toBe('Hi.');
    expect(kept()).toEqual([
      ['first', 'second', 'third', 'fourth'],
      ['third', 'fourth'],
    ]);
    const again = JSON.stringify(server.bodies()[1]);
    expect(again).toMatch(/left_out.{1,60}characters/);
    expect(again).toContain('res_1');
    expect(again).toContain('and now?');
  });

  it('is sent three times at most, and the error says what to do', async () => {
    const [, , refused] = REFUSALS[0] ?? [];
    if (!refused) throw new Error('there is no refusal');
    await expect(ask('openai', CONVERSATION, refused, refused, refused, refused)).rejects.toMatchObject({
      code: 'MODEL_TOO_LONG',
      message: expect.stringContaining('/new') as string,
      cause: { code: 'too-long' },
    });
    expect(kept()).toEqual([['first', 'second', 'third', 'fourth'], ['third', 'fourth'], []]);
  });

  it('is not sent again when nothing of it can be left out', async () => {
    const [, , refused] = REFUSALS[0] ?? [];
    if (!refused) throw new Error('there is no refusal');
    await expect(ask('openai', [new HumanMessage('x'.repeat(5_000))], refused, refused)).rejects.toMatchObject({
      code: 'MODEL_TOO_LONG',
    });
    expect(server.requests()).toBe(1);
  });

  it('loses nothing when only the room for the answer was too much', async () => {
    const message =
      "This model's maximum context length is 16384 tokens. However, you requested 8192 output tokens and your prompt contains at least 9000 input tokens, for a total of at least 17192 tokens.";
    const error = { message, type: 'BadRequestError', param: null, code: 400 };
    const hi = HI['openai'] ?? { body: '' };
    await ask('openai_compatible', CONVERSATION, refusal(400, { error }), hi);
    expect(server.bodies().map((body) => body['max_tokens'])).toEqual([8_192, undefined]);
    expect(kept()[1]).toHaveLength(4);
  });

  it('asks Ollama to refuse it instead of dropping its beginning', async () => {
    await ask('ollama', CONVERSATION, HI['ollama'] ?? { body: '' });
    expect(server.bodies()).toMatchObject([{ truncate: false, shift: false }]);
  });

  describe('in the chat', () => {
    const start = async (projects: number) => {
      bench = await openModelBench();
      await bench.pool.query(
        `insert into projects (name, description, owner, status, action_id)
         select 'p' || i, 'A shop that sells tea number ' || i, '7', 'active', 'made' || i from generate_series(1, $1) i`,
        [projects],
      );
      server = await startModelReplay();
      const wire = await bench.serve((request) => {
        const call = (name: string, args: unknown) => ({ toolCalls: [{ name, arguments: JSON.stringify(args) }] });
        return request.messages.at(-1)?.role === 'tool' ? { content: 'Many.' } : call('list_projects', {});
      });
      const env = TESTED_PROVIDERS.find(({ id }) => id === 'openai')?.env(wire.url);
      await bench.startWorker({ env: { MODEL: 'openai', ...env } });
      return { bench, wire };
    };
    const TOO_LONG = { status: 400, message: 'prompt is too long: 210000 tokens > 200000 maximum' };

    it('is answered from what is left', async () => {
      const { bench: worker, wire } = await start(25);
      wire.plan(null, TOO_LONG);
      expect(await worker.ask('how many are there?')).toEqual(['Many.']);
      const [, whole, shorter] = wire.requests().map(({ body }) => JSON.stringify(body));
      expect(whole).toContain('tea number 7');
      expect(shorter).not.toContain('tea number 7');
      expect(shorter).toContain('left_out');
    });

    it('is named to the person with what to do when nothing is left', async () => {
      const { bench: worker, wire } = await start(1);
      wire.plan(TOO_LONG);
      expect((await worker.ask('how many are there?')).join()).toMatch(/too long for the language model.*\/new/s);
      expect(wire.requests()).toHaveLength(1);
    });
  });
});
