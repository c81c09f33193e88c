import { describe, expect, it } from 'vitest';
import { readConfig } from '../config.ts';
import catalog from './offline/catalog.fixture.json' with { type: 'json' };
import { createModel, ModelConfig, modelSettings } from './port.ts';

const settingsOf = (environment: Record<string, string>) => modelSettings(readConfig(ModelConfig, environment));

describe('choosing the model', () => {
  it('is offline when nothing is said', () => {
    expect(settingsOf({})).toEqual({ provider: 'offline' });
  });

  it('is openai as soon as there is a key', () => {
    expect(settingsOf({ OPENAI_API_KEY: 'k' })).toMatchObject({ provider: 'openai', apiKey: 'k', baseURL: null });
  });

  it('is what MODEL says, key or not', () => {
    expect(settingsOf({ MODEL: 'offline', OPENAI_API_KEY: 'k' })).toEqual({ provider: 'offline' });
    expect(settingsOf({ MODEL: 'openai', OPENAI_BASE_URL: 'http://127.0.0.1:1/v1', OPENAI_MODEL: 'm' })).toEqual({
      provider: 'openai',
      apiKey: null,
      baseURL: 'http://127.0.0.1:1/v1',
      model: 'm',
    });
  });

  it.each([{ MODEL: 'openai' }, { MODEL: 'gpt' }, { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'nowhere' }])(
    'refuses %j',
    (environment) => {
      expect(() => settingsOf(environment)).toThrowError(expect.objectContaining({ code: 'CONFIG_INVALID' }) as Error);
    },
  );

  it('opens the offline planner without a network', async () => {
    const { model, name } = await createModel({ provider: 'offline' }, { catalog: () => catalog });
    expect(name).toBe('offline');
    expect((await model.invoke('help')).text).toContain('list the servers');
  });
});
