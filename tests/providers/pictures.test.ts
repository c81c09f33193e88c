import { AIMessage, HumanMessage, SystemMessage } from '@langchain/core/messages';
import { readConfig } from '@signalbox/platform/config';
import { openModel, openModels } from '@signalbox/models/open-models';
import type { Model, ModelRequest } from '@signalbox/models/port';
import { loadPrices } from '@signalbox/models/prices';
import { ModelConfig, readModelPlan } from '@signalbox/models/settings';
import { createLog } from '@signalbox/platform/log';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startModelWire, type ModelWire } from '../support/model-wire.ts';
import { TESTED_PROVIDERS } from './providers.ts';

/** One red pixel, as PNG. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

const REQUEST: ModelRequest = {
  messages: [
    new SystemMessage('You help.'),
    new HumanMessage({ id: 'm1', content: 'hello' }),
    new AIMessage('Hi.'),
    new HumanMessage({ id: 'm2', content: 'what is on it?' }),
  ],
  pictures: [{ messageId: 'm2', mimeType: 'image/png', base64: PIXEL }],
  tools: [],
  object: null,
  signal: new AbortController().signal,
};

describe('pictures that people send', () => {
  let wire: ModelWire;
  beforeAll(async () => void (wire = await startModelWire(() => ({ content: 'A red pixel.' }))));
  afterAll(() => wire.close());

  const open = async (id: string, env: Record<string, string> = {}): Promise<Model> => {
    const provider = TESTED_PROVIDERS.find((candidate) => candidate.id === id);
    const { main, limits } = readModelPlan(readConfig(ModelConfig, { MODEL: id, ...provider?.env(wire.url), ...env }));
    return openModel(main, { catalog: () => ({ groups: [] }), prices: await loadPrices(null), limits });
  };
  const lastBody = (): string => JSON.stringify(wire.requests().at(-1)?.body);

  it.each(TESTED_PROVIDERS.map(({ id, model }) => [id, model] as const))(
    'are sent once to a model of %s that accepts pictures, together with their message',
    async (id, model) => {
      const { message } = await (await open(id, { MODEL_SEES: model })).ask(REQUEST);
      expect(message.text).toBe('A red pixel.');
      const body = lastBody();
      expect(body.split(PIXEL)).toHaveLength(2);
      expect(body.indexOf('what is on it?')).toBeGreaterThan(body.indexOf('hello'));
      expect(body.indexOf(PIXEL)).toBeGreaterThan(body.indexOf('Hi.'));
    },
  );

  it.each(TESTED_PROVIDERS.map(({ id }) => [id]))(
    'are never sent to a model of %s that does not accept pictures',
    async (id) => {
      const model = await open(id, { MODEL_SEES: 'none' });
      expect(model.sees).toBeUndefined();
      await model.ask(REQUEST);
      expect(lastBody()).not.toContain(PIXEL);
      expect(lastBody()).toContain('You cannot look at the picture');
    },
  );

  it('are sent only to fallback models that accept pictures', async () => {
    const env = {
      ...TESTED_PROVIDERS.find(({ id }) => id === 'openai')?.env(wire.url),
      ...TESTED_PROVIDERS.find(({ id }) => id === 'ollama')?.env(wire.url),
      MODEL: 'openai',
      MODEL_FALLBACK: 'ollama',
    };
    const plan = readModelPlan(readConfig(ModelConfig, env));
    const log = createLog('test', 'silent');
    const models = await openModels(plan, { catalog: () => ({ groups: [] }), log });
    const model = models.of('product_owner', 'product_owner');
    expect(model.sees).toBe(true);
    wire.plan({ status: 401 });
    await model.ask(REQUEST);
    expect(wire.requests().at(-1)?.path).toContain('/api/chat');
    expect(lastBody()).not.toContain(PIXEL);
    expect(lastBody()).toContain('Say so, and ask for a description in words.');
  });
});
