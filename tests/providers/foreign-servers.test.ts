import { HumanMessage, type AIMessage } from '@langchain/core/messages';
import { readConfig } from '@signalbox/platform/config';
import { openModel } from '@signalbox/models/open-models';
import { getReasoning } from '@signalbox/models/answers/reasoning';
import { ModelConfig, readModelPlan } from '@signalbox/models/settings';
import { isTruncatedAnswer } from '@signalbox/models/answers/whole-answer';
import { afterEach, describe, expect, it } from 'vitest';
import { openAiStream, startModelReplay, type ModelReplay } from '../support/model-replay.ts';
import { TESTED_PROVIDERS } from './providers.ts';

type Part = Readonly<Record<string, unknown>>;
interface CallPart {
  readonly index?: number;
  readonly id?: string | null;
  readonly name?: string | null;
  readonly args?: string;
}

const piece = (delta: Part | null, finish_reason: string | null = null): Part => ({
  choices: [{ index: 0, delta, finish_reason }],
});
const calls = (...parts: readonly CallPart[]): Part =>
  piece({
    role: 'assistant',
    content: null,
    tool_calls: parts.map(({ index, id, name, args }) => ({
      ...(index === undefined ? {} : { index }),
      ...(id === undefined ? {} : { id }),
      type: 'function',
      function: { ...(name === undefined ? {} : { name }), ...(args === undefined ? {} : { arguments: args }) },
    })),
  });
const text = (content: string): Part => piece({ role: 'assistant', content });
const ended = (reason: string): Part => piece({}, reason);

/** What servers beside OpenAI's own send under the name of its protocol: vLLM, SGLang, LM Studio, llama.cpp, gateways. */
describe('a server that speaks almost as OpenAI does', () => {
  let server: ModelReplay;
  const shown: string[] = [];
  afterEach(async () => {
    shown.length = 0;
    await server.close();
  });

  const ask = async (...parts: readonly Part[]): Promise<AIMessage> => {
    server = await startModelReplay({ body: openAiStream(...parts) });
    const env = TESTED_PROVIDERS.find(({ id }) => id === 'openai_compatible')?.env(server.url);
    const { main, limits } = readModelPlan(readConfig(ModelConfig, { MODEL: 'openai_compatible', ...env }));
    const model = await openModel(main, { catalog: () => ({ groups: [] }), prices: new Map(), limits });
    const tools = ['set', 'deploy', 'respond_to_user'].map((name) => ({
      name,
      description: name,
      schema: { type: 'object', properties: {} },
    }));
    const { message } = await model.ask({
      messages: [new HumanMessage('hello')],
      tools,
      object: null,
      signal: new AbortController().signal,
      draft: { tool: 'respond_to_user', field: 'message', show: (all) => shown.push(all) },
    });
    return message;
  };

  const BOTH = [
    { name: 'set', args: { a: 1 } },
    { name: 'set', args: { b: 2 } },
  ];

  it.each<[string, readonly Part[]]>([
    [
      'have no ids',
      [
        calls({ index: 0, name: 'set', args: '{"a"' }),
        calls({ index: 0, args: ':1}' }),
        calls({ index: 1, name: 'set', args: '{"b"' }),
        calls({ index: 1, args: ':2}' }),
      ],
    ],
    [
      'share one id',
      [
        calls({ index: 0, id: 'call_0', name: 'set', args: '{"a":1}' }),
        calls({ index: 1, id: 'call_0', name: 'set', args: '{"b":2}' }),
      ],
    ],
    [
      'share one index',
      [
        calls({ index: 0, id: 'x', name: 'set', args: '{"a":1}' }),
        calls({ index: 0, id: 'y', name: 'set', args: '{"b":2}' }),
      ],
    ],
    [
      'share one index and have no ids',
      [calls({ index: 0, name: 'set', args: '{"a":1}' }), calls({ index: 0, name: 'set', args: '{"b":2}' })],
    ],
    [
      'have no indexes',
      [
        calls({ id: 'x', name: 'set', args: '{"a"' }),
        calls({ args: ':1}' }),
        calls({ id: 'y', name: 'set', args: '{"b"' }),
        calls({ args: ':2}' }),
      ],
    ],
    [
      'have no indexes and come in turns',
      [
        calls({ id: 'x', name: 'set', args: '{"a"' }),
        calls({ id: 'y', name: 'set', args: '{"b"' }),
        calls({ id: 'x', args: ':1}' }),
        calls({ id: 'y', args: ':2}' }),
      ],
    ],
    [
      'come in turns',
      [
        calls({ index: 0, id: 'x', name: 'set', args: '{"a"' }, { index: 1, id: 'y', name: 'set', args: '{"b"' }),
        calls({ index: 1, args: ':2}' }, { index: 0, args: ':1}' }),
      ],
    ],
    [
      'repeat name and id in each piece',
      [
        calls({ index: 0, id: 'x', name: 'set', args: '{"a"' }),
        calls({ index: 0, id: 'x', name: 'set', args: ':1}' }),
        calls({ index: 1, id: 'y', name: 'set', args: '{"b"' }),
        calls({ index: 1, id: 'y', name: 'set', args: ':2}' }),
      ],
    ],
    [
      'have another id in each piece',
      [
        calls({ index: 0, id: 'x1', name: 'set', args: '{"a"' }),
        calls({ index: 0, id: 'x2', name: null, args: ':1}' }),
        calls({ index: 1, id: 'y1', name: 'set', args: '{"b"' }),
        calls({ index: 1, id: 'y2', name: '', args: ':2}' }),
      ],
    ],
    ['arrive in one piece', [calls({ name: 'set', args: '{"a":1}' }, { name: 'set', args: '{"b":2}' })]],
  ])('keeps two calls apart that %s', async (_, parts) => {
    const { tool_calls, invalid_tool_calls } = await ask(...parts, ended('tool_calls'));
    expect(tool_calls?.map(({ name, args }) => ({ name, args }))).toEqual(BOTH);
    expect(new Set(tool_calls?.map(({ id }) => id)).size).toBe(2);
    expect(invalid_tool_calls).toEqual([]);
  });

  it('runs a call although no piece says whose it is', async () => {
    const { choices } = calls({ index: 0, id: 'x', name: 'set', args: '{"a":1}' });
    const [choice] = choices as readonly { readonly delta: Part }[]; // as `calls` makes them
    const { tool_calls, text: said } = await ask(piece({ ...choice?.delta, role: undefined }), ended('tool_calls'));
    expect(tool_calls).toMatchObject([{ name: 'set', args: { a: 1 } }]);
    expect(said).toBe('');
  });

  it('takes the end of an answer from a piece without a delta', async () => {
    expect((await ask(text('Hi.'), piece(null, 'stop'))).text).toBe('Hi.');
  });

  it.each(['length', 'content_filter', 'insufficient_system_resource'])(
    'runs no call of an answer that ends with %s, and says so once',
    async (reason) => {
      const { tool_calls, invalid_tool_calls } = await ask(
        calls({ index: 0, id: 'x', name: 'set', args: '{"name":"ADDRESS","value":"http://' }),
        calls({ index: 1, id: 'y', name: 'deploy', args: '{}' }),
        ended(reason),
      );
      expect(tool_calls).toEqual([]);
      expect(invalid_tool_calls?.map(({ name }) => name)).toEqual(['set', 'deploy']);
      const told = invalid_tool_calls?.filter(({ error }) => error?.includes(`(${reason})`));
      expect(told).toHaveLength(1);
    },
  );

  it('runs no call when one of them is half, although the server says that it is whole', async () => {
    const { tool_calls, invalid_tool_calls } = await ask(
      calls({ index: 0, id: 'x', name: 'set', args: '{"name":"ADDRESS","value":"http://' }),
      calls({ index: 1, id: 'y', name: 'deploy', args: '{}' }),
      ended('tool_calls'),
    );
    expect(tool_calls).toEqual([]);
    expect(invalid_tool_calls).toHaveLength(2);
  });

  it('marks a text whose end is missing', async () => {
    const message = await ask(text('It is port '), ended('length'));
    expect([message.text, isTruncatedAnswer(message)]).toEqual(['It is port ', true]);
  });

  it.each<[string, readonly Part[]]>([
    ['in tags', [text('<think>They ask '), text('for a greeting.</think>Hi.')]],
    [
      'in tags that any piece may cut',
      '<think>They ask for a greeting.</think>Hi.'.split('').map((letter) => text(letter)),
    ],
    ['in tags whose beginning the template wrote', [text('They ask for a greeting.'), text('</think>'), text('Hi.')]],
    [
      'in the field that DeepSeek named',
      [piece({ role: 'assistant', reasoning_content: 'They ask for a greeting.' }), text('Hi.')],
    ],
    [
      'in the field that vLLM and OpenRouter name',
      [
        piece({ role: 'assistant', content: '', reasoning: 'They ask ' }),
        piece({ reasoning: 'for a greeting.' }),
        text('Hi.'),
      ],
    ],
    [
      'in a part of the content, as Mistral does',
      [
        piece({
          role: 'assistant',
          content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'They ask for a greeting.' }] }],
        }),
        piece({ content: [{ type: 'text', text: 'Hi.' }] }),
      ],
    ],
  ])('keeps thoughts from people that are %s', async (_, parts) => {
    const message = await ask(...parts, ended('stop'));
    expect([message.text, getReasoning(message)]).toEqual(['Hi.', 'They ask for a greeting.']);
    expect(shown.at(-1)).toBe('Hi.');
  });

  it.each(['<tool_call>{"name":"set","arguments":{"a":1}}</tool_call>', '[TOOL_CALLS][{"name":"set","arguments":{}}]'])(
    'never shows a call that is written as text: %s',
    async (written) => {
      const message = await ask(...`One moment. ${written}`.split('').map((letter) => text(letter)), ended('stop'));
      expect(message.text).toBe('One moment.');
      expect(message.tool_calls).toEqual([]);
      for (const draft of shown) expect('One moment. '.startsWith(draft)).toBe(true);
    },
  );

  it('shows the message of a call whose name comes with each piece', async () => {
    await ask(
      calls({ index: 0, id: 'x', name: 'respond_to_user', args: '{"message":"For ' }),
      calls({ index: 0, id: 'x', name: 'respond_to_user', args: 'which project?"}' }),
      ended('tool_calls'),
    );
    expect(shown).toEqual(['For ', 'For which project?']);
  });
});
