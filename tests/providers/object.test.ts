import { HumanMessage } from '@langchain/core/messages';
import { readConfig } from '@signalbox/platform/config';
import { askForObject, createOutputSchema } from '@signalbox/worker/agents/object';
import { openModel } from '@signalbox/models/open-models';
import { ModelConfig, readModelPlan } from '@signalbox/models/settings';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startModelWire, type ModelWire, type WireScript } from '../support/model-wire.ts';
import { TESTED_PROVIDERS, textOf } from './providers.ts';

const Person = createOutputSchema(
  'person',
  'Somebody.',
  z.object({ name: z.string().max(5), age: z.number().nullable() }),
);
/** What every provider's own form of a schema says; bounds are for us. */
const FIELDS = { name: { type: 'string' }, age: { type: ['number', 'null'] } };

/** Answers in the form that was asked for: as a call where a tool has to be called, else as text. */
const answering =
  (...objects: readonly unknown[]): WireScript =>
  (request) => {
    const told = request.messages.filter((message) => textOf(message).startsWith('That is not valid')).length;
    const json = JSON.stringify(objects[told]);
    return request.tools?.length ? { toolCalls: [{ name: 'person', arguments: json }] } : { content: json };
  };

describe.each(TESTED_PROVIDERS)('an object from $id', ({ id, env }) => {
  let wire: ModelWire;
  afterEach(() => wire.close());

  const ask = async (script: WireScript): Promise<unknown> => {
    wire = await startModelWire(script);
    const { main, limits } = readModelPlan(readConfig(ModelConfig, { MODEL: id, ...env(wire.url) }));
    const model = await openModel(main, { catalog: () => ({ groups: [] }), prices: new Map(), limits });
    const signal = new AbortController().signal;
    return askForObject(model, Person, { messages: [new HumanMessage('who?')], signal });
  };

  it('is requested with a schema that the provider enforces', async () => {
    expect(await ask(answering({ name: 'Ada', age: 36 }))).toEqual({ name: 'Ada', age: 36 });
    const form = formOf(id, wire.requests()[0]?.body ?? {});
    expect(form).toMatchObject({ type: 'object', properties: FIELDS, required: ['name', 'age'] });
  });

  it('is requested again once when it does not match the schema', async () => {
    expect(await ask(answering({ name: 'Augusta Ada', age: 36 }, { name: 'Ada', age: null }))).toEqual({
      name: 'Ada',
      age: null,
    });
    expect(JSON.stringify(wire.requests()[1]?.body)).toContain('name: Too big');
  });

  it('fails as garbage when it does not match the schema twice', async () => {
    await expect(ask(answering({ name: 1 }, { age: 1 }))).rejects.toMatchObject({ code: 'MODEL_GARBAGE' });
    expect(wire.requests()).toHaveLength(2);
  });
});

/** The schema as it was on the wire. */
function formOf(id: string, body: Readonly<Record<string, unknown>>): unknown {
  const Forms = z
    .object({
      response_format: z.object({ json_schema: z.object({ schema: z.unknown(), strict: z.literal(true) }) }),
      output_config: z.object({ format: z.object({ type: z.literal('json_schema'), schema: z.unknown() }) }),
      generationConfig: z.object({ responseMimeType: z.literal('application/json'), responseJsonSchema: z.unknown() }),
      format: z.unknown(),
      tools: z.tuple([z.object({ function: z.object({ name: z.literal('person'), parameters: z.unknown() }) })]),
      tool_choice: z.object({ function: z.object({ name: z.literal('person') }) }),
    })
    .partial();
  const form = Forms.parse(body);
  switch (id) {
    case 'azure_openai':
      return form.response_format?.json_schema.schema;
    case 'anthropic':
      return form.output_config?.format.schema;
    case 'google':
      return form.generationConfig?.responseJsonSchema;
    case 'ollama':
      return form.format;
    default: // servers that may not know schemas are made to call a tool
      return form.tool_choice && form.tools?.[0].function.parameters;
  }
}
