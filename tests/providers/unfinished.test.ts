import { HumanMessage, type AIMessage } from '@langchain/core/messages';
import { readConfig } from '@signalbox/platform/config';
import { openModel } from '@signalbox/models/open-models';
import { isTruncatedAnswer } from '@signalbox/models/answers/whole-answer';
import { ModelConfig, readModelPlan } from '@signalbox/models/settings';
import { afterEach, describe, expect, it } from 'vitest';
import { eventStream, startModelReplay, type ModelReplay, type ReplayedAnswer } from '../support/model-replay.ts';
import { TESTED_PROVIDERS } from './providers.ts';

const ARGS = '{"name":"LOG_LEVEL","value":"debug"}';
type Part = Readonly<Record<string, unknown>>;

/** An answer of each provider with a text or a call, which ends for this reason of its own. */
const anthropic = (block: Part, deltas: readonly Part[], stop_reason: string): ReplayedAnswer => ({
  body: eventStream(
    {
      type: 'message_start',
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        stop_reason: null,
        usage: { input_tokens: 4, output_tokens: 3 },
      },
    },
    { type: 'content_block_start', index: 0, content_block: block },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index: 0, delta })),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 12 } },
    { type: 'message_stop' },
  ),
});
const anthropicCall = (args: string, end: string): ReplayedAnswer =>
  anthropic(
    { type: 'tool_use', id: 'a', name: 'set', input: {} },
    [{ type: 'input_json_delta', partial_json: args }],
    end,
  );
const google = (part: Part, finishReason: string): ReplayedAnswer => ({
  body: eventStream({ candidates: [{ content: { role: 'model', parts: [part] }, finishReason, index: 0 }] }),
});
const ollama = (message: Part, done_reason: string): ReplayedAnswer => ({
  type: 'application/x-ndjson',
  body: [
    { message: { role: 'assistant', content: '', ...message }, done: false },
    { message: { role: 'assistant', content: '' }, done: true, done_reason },
  ]
    .map((fields) => `${JSON.stringify({ model: 'qwen3', created_at: '', ...fields })}\n`)
    .join(''),
});
const responses = (status: string, reason: string | null, args = ARGS): ReplayedAnswer => {
  const item = {
    type: 'function_call',
    id: 'fc_1',
    call_id: 'call_1',
    name: 'set',
    arguments: '',
    status: 'in_progress',
  };
  const whole = {
    id: 'r',
    object: 'response',
    model: 'm',
    output: [],
    status,
    incomplete_details: reason && { reason },
  };
  return {
    body: eventStream(
      { type: 'response.created', response: { ...whole, status: 'in_progress' } },
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.function_call_arguments.delta', output_index: 0, item_id: 'fc_1', delta: args },
      { type: status === 'completed' ? 'response.completed' : 'response.incomplete', response: whole },
    ),
  };
};

describe('an answer that a model server may not have completed', () => {
  let server: ModelReplay;
  afterEach(() => server.close());

  const ask = async (id: string, answer: ReplayedAnswer, model?: string): Promise<AIMessage> => {
    server = await startModelReplay(answer);
    const env = TESTED_PROVIDERS.find((candidate) => candidate.id === id)?.env(server.url);
    const { main, limits } = readModelPlan(readConfig(ModelConfig, { MODEL: model ?? id, ...env }));
    const opened = await openModel(main, { catalog: () => ({ groups: [] }), prices: new Map(), limits });
    const { message } = await opened.ask({
      messages: [new HumanMessage('hello')],
      tools: [{ name: 'set', description: 'Sets.', schema: { type: 'object', properties: {} } }],
      object: null,
      signal: new AbortController().signal,
    });
    return message;
  };
  const RESPONSES = 'openai:gpt-5.2-pro';

  it.each<[string, string, ReplayedAnswer, string?]>([
    ['anthropic', 'max_tokens', anthropicCall(ARGS, 'max_tokens')],
    ['anthropic', 'model_context_window_exceeded', anthropicCall(ARGS, 'model_context_window_exceeded')],
    ['anthropic', 'half JSON', anthropicCall(ARGS.slice(0, -3), 'tool_use')],
    [
      'google',
      'MAX_TOKENS',
      google({ functionCall: { name: 'set', args: JSON.parse(ARGS) as unknown } }, 'MAX_TOKENS'),
    ],
    ['google', 'SAFETY', google({ functionCall: { name: 'set', args: JSON.parse(ARGS) as unknown } }, 'SAFETY')],
    [
      'ollama',
      'length',
      ollama({ tool_calls: [{ function: { name: 'set', arguments: JSON.parse(ARGS) as unknown } }] }, 'length'),
    ],
    ['openai', 'incomplete', responses('incomplete', 'max_output_tokens'), RESPONSES],
    ['openai', 'half JSON', responses('completed', null, ARGS.slice(0, -1)), RESPONSES],
  ])('runs no call when it is incomplete: %s, %s', async (id, _, answer, model) => {
    const { tool_calls, invalid_tool_calls } = await ask(id, answer, model);
    expect(tool_calls).toEqual([]);
    expect(invalid_tool_calls).toMatchObject([
      { name: 'set', error: expect.stringMatching(/was carried out/) as string },
    ]);
  });

  it.each<[string, ReplayedAnswer, string?]>([
    ['anthropic', anthropicCall(ARGS, 'tool_use')],
    ['google', google({ functionCall: { name: 'set', args: JSON.parse(ARGS) as unknown } }, 'STOP')],
    ['ollama', ollama({ tool_calls: [{ function: { name: 'set', arguments: JSON.parse(ARGS) as unknown } }] }, 'stop')],
    ['openai', responses('completed', null), RESPONSES],
  ])('runs its call when it is complete: %s', async (id, answer, model) => {
    const { tool_calls, invalid_tool_calls } = await ask(id, answer, model);
    expect(tool_calls).toMatchObject([{ name: 'set', args: JSON.parse(ARGS) as unknown }]);
    expect(invalid_tool_calls).toEqual([]);
  });

  it.each<[string, ReplayedAnswer, boolean]>([
    ['anthropic', anthropic({ type: 'text', text: '' }, [{ type: 'text_delta', text: 'Half a' }], 'max_tokens'), true],
    ['anthropic', anthropic({ type: 'text', text: '' }, [{ type: 'text_delta', text: 'Half a' }], 'end_turn'), false],
    ['google', google({ text: 'Half a' }, 'MAX_TOKENS'), true],
    ['google', google({ text: 'Half a' }, 'STOP'), false],
    ['ollama', ollama({ content: 'Half a' }, 'length'), true],
    ['ollama', ollama({ content: 'Half a' }, 'stop'), false],
  ])('has its text marked as cut only when it is incomplete: %s %#', async (id, answer, isCut) => {
    const message = await ask(id, answer);
    expect([message.text, isTruncatedAnswer(message)]).toEqual(['Half a', isCut]);
  });
});
