import { HumanMessage } from '@langchain/core/messages';
import { readConfig } from '@signalbox/platform/config';
import { openModel } from '@signalbox/models/open-models';
import type { JsonOutputSpec } from '@signalbox/models/port';
import { ModelConfig, readModelPlan } from '@signalbox/models/settings';
import { afterEach, describe, expect, it } from 'vitest';
import { startModelReplay, type ModelReplay } from '../support/model-replay.ts';
import { startModelWire } from '../support/model-wire.ts';
import { openModelBench, type ModelBench } from './bench.ts';
import { QUESTION, spine, TESTED_PROVIDERS } from './providers.ts';

const envOf = (id: string, url: string): Record<string, string> =>
  TESTED_PROVIDERS.find((provider) => provider.id === id)?.env(url) ?? {};

describe('the temperature and the limit of an answer', () => {
  const request = {
    messages: [new HumanMessage('hello')],
    tools: [],
    object: null,
    signal: new AbortController().signal,
  };

  /** What the first request of a model says of both. */
  const sent = async (model: string, env: Record<string, string> = {}, object: JsonOutputSpec | null = null) => {
    const wire = await startModelWire(() => ({ content: '{"name":"Ada"}' }));
    const [id = ''] = model.split(':');
    const config = readConfig(ModelConfig, { MODEL: model, ...envOf(id, wire.url), ...env });
    const { main, limits } = readModelPlan(config);
    await (
      await openModel(main, { catalog: () => ({ groups: [] }), prices: new Map(), limits })
    ).ask({ ...request, object });
    const body = wire.requests()[0]?.body ?? {};
    await wire.close();
    const options = (body['options'] ?? body['generationConfig'] ?? body) as Readonly<Record<string, unknown>>; // where each provider has them
    const names = ['temperature', 'max_tokens', 'max_completion_tokens', 'maxOutputTokens', 'num_predict'];
    return Object.fromEntries(names.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])));
  };

  it.each([
    ['openai', { temperature: 0, max_tokens: 8_192 }],
    ['openai:gpt-5-mini', { temperature: 0, max_completion_tokens: 8_192 }],
    ['azure_openai', { temperature: 0, max_tokens: 8_192 }],
    ['openai_compatible', { temperature: 0, max_tokens: 8_192 }],
    ['anthropic:claude-haiku-4-5', { temperature: 0, max_tokens: 8_192 }],
    ['anthropic:claude-3-5-haiku-20241022', { temperature: 0, max_tokens: 8_192 }],
    ['google:gemini-2.5-flash', { temperature: 0, maxOutputTokens: 8_192 }],
  ])('are 0 and 8192 unless they are set: %s', async (model, options) => {
    expect(await sent(model)).toEqual(options);
  });

  it.each([
    ['anthropic', { max_tokens: 8_192 }], // refuses any
    ['anthropic:claude-opus-4-7', { max_tokens: 8_192 }],
    ['google', { maxOutputTokens: 8_192 }], // Google advises against another than its own
    ['ollama', { num_predict: 8_192 }], // the model's file holds what its maker recommends
  ])('leave the temperature to a model whose maker knows better: %s', async (model, options) => {
    expect(await sent(model)).toEqual(options);
  });

  it.each(['openai', 'anthropic', 'google', 'azure_openai', 'openai_compatible', 'ollama'])(
    'are those that are set: %s',
    async (model) => {
      const env = { MODEL_TEMPERATURE: '0.5', MODEL_MAX_OUTPUT_TOKENS: '1000' };
      expect(Object.values(await sent(model, env))).toEqual([0.5, 1_000]);
    },
  );

  it('leave an object of Anthropic below what its SDK refuses to wait for', async () => {
    const object = { name: 'person', description: 'Somebody.', schema: { type: 'object', properties: {} } };
    expect(await sent('anthropic', { MODEL_MAX_OUTPUT_TOKENS: '30000' }, object)).toEqual({ max_tokens: 8_192 });
    expect(await sent('anthropic', { MODEL_MAX_OUTPUT_TOKENS: '30000' })).toEqual({ max_tokens: 30_000 });
  });
});

describe('a setting that a model refuses', () => {
  let server: ModelReplay;
  let bench: ModelBench | null = null;
  afterEach(async () => {
    await bench?.close();
    bench = null;
  });

  const invalid = (message: string, fields: Readonly<Record<string, unknown>> = {}) => ({
    error: { message, type: 'invalid_request_error', ...fields },
  });

  /** Refusals as the servers publish them, or as they were seen. */
  it.each<[string, string, number, unknown, readonly string[]]>([
    [
      'OpenAI’s reasoning models',
      'openai:gpt-5-mini',
      400,
      invalid(
        "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
        {
          param: 'temperature',
          code: 'unsupported_value',
        },
      ),
      ['max_completion_tokens'],
    ],
    [
      'Azure, whose deployment may be any model',
      'azure_openai',
      400,
      invalid(
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        {
          param: 'max_tokens',
          code: 'unsupported_parameter',
        },
      ),
      ['temperature'],
    ],
    [
      'OpenAI’s older models',
      'openai:gpt-4-turbo',
      400,
      invalid(
        'max_tokens is too large: 8192. This model supports at most 4096 completion tokens, whereas you provided 8192.',
        {
          param: 'max_tokens',
          code: null,
        },
      ),
      ['temperature'],
    ],
    [
      'Anthropic’s newer models',
      'anthropic:claude-haiku-4-5',
      400,
      {
        type: 'error',
        error: { type: 'invalid_request_error', message: '`temperature` is deprecated for this model.' },
      },
      ['max_tokens'],
    ],
    [
      'LiteLLM',
      'openai_compatible',
      400,
      invalid(
        "litellm.UnsupportedParamsError: openai does not support parameters: ['temperature'], for model=o4-mini. To drop these, set `litellm.drop_params=True`",
        { type: null, code: '400' },
      ),
      ['max_tokens'],
    ],
    [
      'a server that knows no such field',
      'openai_compatible',
      422,
      { detail: [{ type: 'extra_forbidden', loc: ['body', 'max_tokens'], msg: 'Extra inputs are not permitted' }] },
      ['temperature'],
    ],
    [
      'Mistral',
      'openai_compatible',
      422,
      {
        object: 'error',
        message: {
          detail: [{ type: 'extra_forbidden', loc: ['body', 'max_tokens'], msg: 'Extra inputs are not permitted' }],
        },
        type: 'invalid_request_error',
        param: null,
        code: null,
      },
      ['temperature'],
    ],
    [
      'vLLM',
      'openai_compatible',
      400,
      {
        object: 'error',
        message: 'max_tokens must be at least 1, got -186.',
        type: 'BadRequestError',
        param: null,
        code: 400,
      },
      ['temperature'],
    ],
  ])('is left out from then on: %s', async (_, model, status, body, left) => {
    const refused = { status, type: 'application/json', body: JSON.stringify(body) };
    const broken = { status: 418, type: 'application/json', body: '{}' };
    server = await startModelReplay(refused, broken, broken);
    const [id = ''] = model.split(':');
    const { main, limits } = readModelPlan(readConfig(ModelConfig, { MODEL: model, ...envOf(id, server.url) }));
    const refusals: unknown[] = [];
    const observer = { onRefusedSetting: (refusal: unknown) => void refusals.push(refusal) };
    const opened = await openModel(main, { catalog: () => ({ groups: [] }), prices: new Map(), limits, observer });
    const ask = () =>
      opened.ask({
        messages: [new HumanMessage('hello')],
        tools: [],
        object: null,
        signal: new AbortController().signal,
      });
    await expect(ask()).rejects.toMatchObject({ cause: { status: 418 } });
    await expect(ask()).rejects.toMatchObject({ cause: { status: 418 } });
    const options = server
      .bodies()
      .map((sent) => ['temperature', 'max_tokens', 'max_completion_tokens'].filter((name) => name in sent));
    const without = id === 'anthropic' ? ['max_tokens'] : left; // which Anthropic demands
    expect(options.slice(1)).toEqual([without, without]);
    expect(options[0]?.length).toBe(2);
    const setting = left.includes('temperature') ? 'maxOutputTokens' : 'temperature';
    expect(refusals).toEqual([{ model: main.name, setting }]);
    await server.close();
  });

  it('is not noticed by the person', async () => {
    bench = await openModelBench();
    const wire = await bench.serve(spine({ usage: null }));
    await bench.startWorker({ env: { MODEL: 'openai', ...envOf('openai', wire.url) } });
    wire.plan({ status: 400, message: "Unsupported parameter: 'temperature' is not supported with this model." });
    expect(await bench.ask('I need a port')).toEqual([QUESTION]);
    expect((await bench.ask('shop')).join()).toMatch(/^Done: port/);
    expect(wire.requests().map(({ body }) => body['temperature'])).toEqual([0, undefined, undefined, undefined]);
  });
});
