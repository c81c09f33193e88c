import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { askForObject, createOutputSchema } from './object.ts';
import type { Model, ModelRequest } from '@signalbox/models/port';

const Person = createOutputSchema(
  'person',
  'Somebody.',
  z.object({ name: z.string().max(5), age: z.number().nullable() }),
);

/** Creates a model that gives these answers in order. */
function open(...answers: readonly AIMessage[]) {
  const requests: ModelRequest[] = [];
  const model: Model = {
    name: 'm',
    ask: (request) => {
      requests.push(request);
      return Promise.resolve({ message: answers[requests.length - 1] ?? new AIMessage('over'), model: 'm' });
    },
  };
  const request = { messages: [new HumanMessage('who?')], signal: new AbortController().signal };
  return { ask: () => askForObject(model, Person, request), requests };
}

const called = (args: Record<string, unknown>): AIMessage =>
  new AIMessage({ content: '', tool_calls: [{ id: '1', name: 'person', args }] });

describe('asking a model for an object', () => {
  it.each([
    ['the arguments of a call', called({ name: 'Ada', age: 36 })],
    ['plain JSON', new AIMessage('{"name":"Ada","age":36}')],
    ['JSON in a fence', new AIMessage('```json\n{"name":"Ada","age":36}\n```')],
  ])('accepts an answer that is %s', async (_, answer) => {
    const { ask, requests } = open(answer);
    expect(await ask()).toEqual({ name: 'Ada', age: 36 });
    expect(requests).toHaveLength(1);
    expect(requests[0]?.object).toMatchObject({
      name: 'person',
      schema: { type: 'object', required: ['name', 'age'] },
    });
  });

  it.each([
    ['fields that do not fit', called({ name: 'Augusta Ada', age: null }), 'name: Too big'],
    ['words instead', new AIMessage('I think it is Ada.'), 'it is not JSON'],
    ['nothing', new AIMessage(''), 'it is not JSON'],
    [
      'a call of another name',
      new AIMessage({ content: '', tool_calls: [{ id: '1', name: 'x', args: {} }] }),
      'not JSON',
    ],
    [
      'a call that is not JSON',
      new AIMessage({ content: '', invalid_tool_calls: [{ id: '1', name: 'person', args: '{"name":' }] }),
      'it is not JSON',
    ],
  ])('tells the model once what is wrong with %s, and accepts the corrected answer', async (_, bad, problem) => {
    const { ask, requests } = open(bad, called({ name: 'Ada', age: null }));
    expect(await ask()).toEqual({ name: 'Ada', age: null });
    const [, given, told] = requests[1]?.messages ?? [];
    expect(given?.text).not.toBe('');
    expect(told?.text).toContain(problem);
  });

  it('fails after the second invalid answer, without quoting that answer', async () => {
    const { ask, requests } = open(called({ name: 'Augusta Ada', age: 1 }), called({ name: 'secret words', age: 1 }));
    const thrown = (await ask().catch((error: unknown) => error)) as Error; // The next line asserts that the promise rejected
    expect(thrown).toMatchObject({ code: 'MODEL_GARBAGE' });
    expect(String(thrown.cause)).toContain('name: Too big');
    expect(String(thrown.cause)).not.toContain('secret words');
    expect(requests).toHaveLength(2);
  });
});
