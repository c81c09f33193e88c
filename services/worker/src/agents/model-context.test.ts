import { AIMessage, HumanMessage, SystemMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { hashContext } from './model-context.ts';

const tools = [{ name: 'look', description: 'Look.', schema: { type: 'object' } }];
const messages: readonly BaseMessage[] = [
  new SystemMessage({ content: [{ type: 'text', text: 'Be calm.' }] }),
  new HumanMessage({ id: 'h1', content: 'look' }),
  new AIMessage({ id: 'a1', content: '', tool_calls: [{ id: 'c1', name: 'look', args: { at: 'it' } }] }),
  new ToolMessage({ tool_call_id: 'c1', content: '{"ok":true}', status: 'success' }),
];
const given = (changed: readonly BaseMessage[] = messages, defined = tools) =>
  hashContext({ messages: changed, tools: defined, object: null });
const replaced = (at: number, message: BaseMessage): readonly BaseMessage[] => messages.with(at, message);

describe('the recorded context of a model call', () => {
  it('has the same hash for equal messages with other ids or another order of keys', () => {
    const again = replaced(1, new HumanMessage({ id: 'other', content: 'look' }));
    const defined = [{ schema: { type: 'object' }, description: 'Look.', name: 'look' }];
    expect(given(again, defined)).toEqual(given());
  });

  it.each([
    ['system', replaced(0, new SystemMessage({ content: [{ type: 'text', text: 'Be wild.' }] }))],
    ['messages', replaced(1, new HumanMessage('look!'))],
    ['messages', replaced(3, new ToolMessage({ tool_call_id: 'c1', content: '{"ok":false}', status: 'success' }))],
    ['messages', replaced(3, new ToolMessage({ tool_call_id: 'c1', content: '{"ok":true}', status: 'error' }))],
    ['messages', replaced(2, new AIMessage({ content: '', tool_calls: [{ id: 'c1', name: 'look', args: {} }] }))],
    ['messages', messages.slice(0, 3)],
  ] as const)('has another hash when its %s differs', (part, changed) => {
    const [was, is] = [given(), given(changed)];
    expect(is.hash).not.toBe(was.hash);
    expect((['system', 'messages', 'tools'] as const).filter((name) => is[name] !== was[name])).toEqual([part]);
  });

  it('has another hash when the description of a tool differs', () => {
    const is = given(messages, [{ name: 'look', description: 'Stare.', schema: { type: 'object' } }]);
    expect(is.tools).not.toBe(given().tools);
  });

  it('can be hashed even when it contains half a surrogate pair', () => {
    expect(given(replaced(1, new HumanMessage('\ud83d'))).hash).toMatch(/^[0-9a-f]{64}$/);
  });
});
