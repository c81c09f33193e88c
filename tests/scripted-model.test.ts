import { HumanMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { createScriptedModel } from './support/scripted-model.ts';

const tool = { name: 'ping', description: 'Ping.', schema: { type: 'object', properties: {} } };

describe('the scripted model', () => {
  it('gives the answer that its script returns for the messages and tools', async () => {
    const model = createScriptedModel((messages, tools) => ({
      content: `${messages.length} ${tools.map(({ name }) => name).join()}`,
    }));
    expect((await model.bindTools?.([tool]).invoke([new HumanMessage('a')]))?.text).toBe('1 ping');
  });

  it('calls tools, and numbers the calls for which the script gives no id', async () => {
    const model = createScriptedModel(() => ({
      toolCalls: [
        { name: 'ping', args: { n: 1 } },
        { id: 'mine', name: 'ping', args: {} },
      ],
    }));
    const { tool_calls } = await model.invoke('go');
    expect(tool_calls).toEqual([
      { id: 'call_0_0', name: 'ping', args: { n: 1 }, type: 'tool_call' },
      { id: 'mine', name: 'ping', args: {}, type: 'tool_call' },
    ]);
  });

  it('counts its calls', async () => {
    const model = createScriptedModel((_, __, { index }) => ({ content: String(index) }));
    await model.invoke('a');
    expect((await model.invoke('b')).text).toBe('1');
  });

  it('throws the error that its script returns', async () => {
    const model = createScriptedModel(() => ({ throw: new RangeError('no') }));
    await expect(model.invoke('a')).rejects.toThrow(RangeError);
  });

  it('ends its delay when the request is aborted', async () => {
    const controller = new AbortController();
    const model = createScriptedModel(() => ({ content: 'late', delayMs: 60_000 }));
    const answer = model.invoke('a', { signal: controller.signal });
    controller.abort();
    await expect(answer).rejects.toThrow();
  });
});
