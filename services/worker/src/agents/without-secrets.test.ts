import { AIMessage, HumanMessage, SystemMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import { expect, test } from 'vitest';
import { makeCanaries } from '@signalbox/safety/redact/secrets.fixture';
import type { Model, ModelRequest, Models } from '@signalbox/models/port';
import { withRedaction } from './without-secrets.ts';

const KEY = makeCanaries()[0]?.secret ?? '';
const HANDLE = 'secret:aws-key-7f3a9c2e';

function guarded(answer: AIMessage): { readonly model: Model; readonly asked: ModelRequest[] } {
  const asked: ModelRequest[] = [];
  const model: Model = {
    name: 'recorded',
    ask: async (request) => {
      asked.push(request);
      return { message: answer, model: 'recorded' };
    },
  };
  const models: Models = { names: ['recorded'], of: () => model };
  return { model: withRedaction(models).of('agent', 'node'), asked };
}

const request = (messages: readonly BaseMessage[]): ModelRequest => ({
  messages,
  tools: [],
  object: null,
  signal: AbortSignal.timeout(1_000),
});

test('secrets are removed from every message to a model, and secret handles are kept', async () => {
  const { model, asked } = guarded(new AIMessage('ok'));
  const call = { id: 'c1', name: 'set_key', args: { key: KEY, note: HANDLE }, type: 'tool_call' as const };
  await model.ask(
    request([
      new SystemMessage(`known: ${KEY}`),
      new HumanMessage({ content: `use ${KEY} or ${HANDLE}`, id: 'h1' }),
      new HumanMessage({ content: [{ type: 'text', text: KEY }] }),
      new AIMessage({ content: '', tool_calls: [call], id: 'a1' }),
      new ToolMessage({ content: `{"key":"${KEY}"}`, tool_call_id: 'c1', name: 'set_key' }),
    ]),
  );
  const [got] = asked;
  expect(JSON.stringify(got?.messages)).not.toContain(KEY);
  expect(got?.messages[1]).toMatchObject({ id: 'h1', content: `use [secret] or ${HANDLE}` });
  expect(got?.messages[3]).toMatchObject({
    id: 'a1',
    tool_calls: [{ id: 'c1', args: { key: '[secret]', note: HANDLE } }],
  });
  expect(got?.messages[4]).toMatchObject({ tool_call_id: 'c1', content: '{"key":"[secret]"}' });
});

test("secrets are removed from the text and the tool calls of a model's answer", async () => {
  const args = { description: `key ${KEY}`, password: 'swordfish' };
  const message: AIMessage = new AIMessage({
    content: `Your key is ${KEY}.`,
    tool_calls: [{ id: 'c1', name: 'create_project', args, type: 'tool_call' }],
    response_metadata: { finish_reason: 'stop' },
  });
  const { model } = guarded(message);
  const { message: got } = await model.ask(request([new HumanMessage('hello')]));
  expect(JSON.stringify(got)).not.toContain(KEY);
  expect(got.content).toBe('Your key is [secret].');
  expect(got.tool_calls?.[0]?.args).toEqual({ description: 'key [secret]', password: '[secret]' });
  expect(got.response_metadata).toEqual({ finish_reason: 'stop' });
});

test('messages without a secret are passed on as the same objects', async () => {
  const answer = new AIMessage('all is well');
  const { model, asked } = guarded(answer);
  const messages = [new SystemMessage('you help'), new HumanMessage('hello')];
  expect((await model.ask(request(messages))).message).toBe(answer);
  expect(asked[0]?.messages).toEqual(messages);
  expect(asked[0]?.messages[1]).toBe(messages[1]);
});
