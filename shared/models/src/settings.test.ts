import { describe, expect, it } from 'vitest';
import { readConfig } from '@signalbox/platform/config';
import { AppError } from '@signalbox/contracts/errors';
import { checkTargets, listModels, ModelConfig, readModelPlan } from './settings.ts';

const readPlan = (environment: Record<string, string>) => readModelPlan(readConfig(ModelConfig, environment));
const listProblems = (environment: Record<string, string>): string => {
  try {
    readPlan(environment);
  } catch (error) {
    if (error instanceof AppError && error.code === 'CONFIG_INVALID') return error.message;
    throw error;
  }
  return 'none';
};

describe('choosing the model', () => {
  it.each([
    [{}, 'offline'],
    [{ OPENAI_API_KEY: 'k' }, 'openai:gpt-4.1-mini'],
    [{ ANTHROPIC_API_KEY: 'k' }, 'anthropic:claude-sonnet-5'],
    [{ GOOGLE_API_KEY: 'k' }, 'google:gemini-3.8-flash'],
    [{ OLLAMA_MODEL: 'llama3.2:3b' }, 'ollama:llama3.2:3b'],
    [{ OLLAMA_BASE_URL: 'http://127.0.0.1:1' }, 'ollama:qwen3'],
    [
      { OPENAI_COMPATIBLE_BASE_URL: 'http://127.0.0.1:1/v1', OPENAI_COMPATIBLE_MODEL: 'local' },
      'openai_compatible:local',
    ],
    [
      {
        AZURE_OPENAI_API_KEY: 'k',
        AZURE_OPENAI_ENDPOINT: 'https://x.openai.azure.com',
        AZURE_OPENAI_DEPLOYMENT: 'chat',
      },
      'azure_openai:chat',
    ],
    [{ MODEL: 'offline', OPENAI_API_KEY: 'k' }, 'offline'],
    [{ MODEL: 'openai', OPENAI_BASE_URL: 'http://127.0.0.1:1/v1', OPENAI_MODEL: 'm' }, 'openai:m'],
    [{ MODEL: 'openai:gpt-5.5', OPENAI_API_KEY: 'k', OPENAI_MODEL: 'm' }, 'openai:gpt-5.5'],
    [{ MODEL: 'ollama:llama3.2:3b' }, 'ollama:llama3.2:3b'],
    [{ OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' }, 'openai:gpt-4.1-mini'],
  ])('with the variables %j selects the model %s', (environment, name) => {
    expect(readPlan(environment).main.name).toBe(name);
  });

  it('accepts a self-hosted server without an API key', () => {
    const { main } = readPlan({ MODEL: 'openai', OPENAI_BASE_URL: 'http://127.0.0.1:1/v1', OPENAI_MODEL: 'm' });
    expect(main).toMatchObject({ model: 'm', apiKey: null, baseURL: 'http://127.0.0.1:1/v1' });
  });

  it('never sends the API key of one provider to another', () => {
    const { main } = readPlan({
      MODEL: 'openai_compatible:m',
      OPENAI_COMPATIBLE_BASE_URL: 'http://127.0.0.1:1/v1',
      OPENAI_API_KEY: 'k',
    });
    expect(main).toMatchObject({ apiKey: null });
  });

  it.each([
    [{ MODEL: 'openai' }, 'MODEL: openai needs OPENAI_API_KEY, or OPENAI_BASE_URL'],
    [{ MODEL: 'anthropic:x' }, 'MODEL: anthropic needs ANTHROPIC_API_KEY'],
    [{ MODEL: 'azure_openai:x' }, 'needs AZURE_OPENAI_API_KEY; azure_openai needs AZURE_OPENAI_ENDPOINT'],
    [{ MODEL: 'openai_compatible', OPENAI_COMPATIBLE_BASE_URL: 'http://127.0.0.1:1/v1' }, 'OPENAI_COMPATIBLE_MODEL'],
    [{ MODEL: 'antropic' }, 'there is no provider named antropic (did you mean anthropic?); there are offline, openai'],
    [{ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'nowhere' }, 'OPENAI_BASE_URL'],
    [{ OPENAI_API_KEY: 'k', MODEL_FALLBACK: 'google' }, 'MODEL_FALLBACK: google needs GOOGLE_API_KEY'],
    [{ OPENAI_API_KEY: 'k', MODEL_FOR: 'product_owner' }, 'MODEL_FOR: each entry has to be written as agent=model'],
    [{ MODEL_TIMEOUT_MS: '5' }, 'MODEL_TIMEOUT_MS'],
  ])('refuses the variables %j and says which variable to set', (environment, problem) => {
    expect(listProblems(environment)).toContain(problem);
  });

  it('reports all problems of the variables in one error', () => {
    const problems = listProblems({ MODEL: 'anthropic', MODEL_FALLBACK: 'google,nobody', MODEL_FOR: 'a.b=openai' });
    for (const part of ['ANTHROPIC_API_KEY', 'GOOGLE_API_KEY', 'nobody', 'OPENAI_API_KEY'])
      expect(problems).toContain(part);
  });

  it('does not show an API key that was put into MODEL by mistake', () => {
    expect(listProblems({ MODEL: 'sk-proj-123456' })).not.toContain('123456');
  });

  it('marks every API key variable as secret', () => {
    const keys = Object.entries(ModelConfig.shape).filter(([name]) => /KEY|TOKEN(?!S)|SECRET/.test(name));
    expect(keys.length).toBeGreaterThan(4);
    expect(keys.filter(([, schema]) => schema.meta()?.['secret'] !== true).map(([name]) => name)).toEqual([]);
  });
});

describe('the settings of fallback models and of models for single agents', () => {
  const keys = { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' };

  it('are read in order, for whole agents and for single nodes', () => {
    const plan = readPlan({
      ...keys,
      MODEL_FALLBACK: 'anthropic:claude-haiku-4-5, openai:gpt-4.1-nano ,offline',
      MODEL_FOR: 'product_owner.intent_parser=openai:gpt-4.1-nano, product_owner=anthropic',
    });
    expect(plan.fallbacks.map(({ name }) => name)).toEqual([
      'anthropic:claude-haiku-4-5',
      'openai:gpt-4.1-nano',
      'offline',
    ]);
    expect([...plan.targets].map(([target, { name }]) => [target, name])).toEqual([
      ['product_owner.intent_parser', 'openai:gpt-4.1-nano'],
      ['product_owner', 'anthropic:claude-sonnet-5'],
    ]);
    expect(listModels(plan).map(({ settings, role }) => [settings.name, role])).toEqual([
      ['openai:gpt-4.1-mini', 'model'],
      ['anthropic:claude-haiku-4-5', 'fallback'],
      ['openai:gpt-4.1-nano', 'fallback'],
      ['offline', 'fallback'],
      ['anthropic:claude-sonnet-5', 'model of product_owner'],
    ]);
  });

  it('are refused for an unknown agent or node, and the error lists the known names', () => {
    const agents = [{ id: 'product_owner', nodes: ['intent_parser', 'product_owner'] }];
    const check = (target: string) => () => checkTargets(readPlan({ ...keys, MODEL_FOR: `${target}=openai` }), agents);
    expect(check('product_owner')).not.toThrow();
    expect(check('product_owner.intent_parser')).not.toThrow();
    expect(check('product_owner.intent')).toThrow(
      /product_owner.intent; there are product_owner, product_owner.intent_parser/,
    );
    expect(check('mortgage')).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }) as Error);
  });
});
