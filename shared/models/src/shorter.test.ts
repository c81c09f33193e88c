import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import { expect, test } from 'vitest';
import { pruneOldResults } from './shorter.ts';

/** A turn that looks something up and answers. */
const turn = (number: number, length = 1_500): BaseMessage[] => [
  new HumanMessage(`look ${number}`),
  new AIMessage({ content: '', tool_calls: [{ type: 'tool_call', id: `call_${number}`, name: 'look', args: {} }] }),
  new ToolMessage({
    tool_call_id: `call_${number}`,
    name: 'look',
    content: JSON.stringify({ ok: true, result: `secret words ${'x'.repeat(length)}` }),
    additional_kwargs: { handle: `res_${number}` },
  }),
  new AIMessage('It is fine.'),
];
const talk = (turns: number): BaseMessage[] => Array.from({ length: turns }, (_, at) => turn(at + 1)).flat();
const texts = (messages: readonly BaseMessage[]): string[] => messages.map(({ text }) => text);
const left = (messages: readonly BaseMessage[]): number =>
  texts(messages).filter((text) => text.includes('left_out')).length;

test('old results become one line with their handle, and quote nothing of themselves', () => {
  const pruned = pruneOldResults([...talk(12), new HumanMessage('and now?')]);
  expect(JSON.parse(pruned[2]?.text ?? '')).toEqual({
    ok: true,
    left_out: expect.stringContaining('read_result shows them'),
    handle: 'res_1',
  });
  expect(
    texts(pruned)
      .join('')
      .match(/secret words/g)?.length,
  ).toBeLessThan(6);
  expect(pruned.at(-3)?.text).toContain('secret words');
});

test('the beginning of a conversation changes in steps, and not with each turn', () => {
  const steps = Array.from({ length: 30 }, (_, turns) =>
    left(pruneOldResults([...talk(turns), new HumanMessage('?')])),
  );
  expect(new Set(steps).size).toBeLessThan(10);
  expect(steps).toEqual(steps.toSorted((a, b) => a - b));
  // What shrank once stays so, whatever comes later.
  const [short, long] = [talk(12), talk(13)].map((messages) =>
    texts(pruneOldResults([...messages, new HumanMessage('?')])),
  );
  expect(long?.slice(0, 40)).toEqual(short?.slice(0, 40));
});

test('the results of the turn that goes on are kept', () => {
  const [asked, ...rest] = turn(1);
  const many = Array.from({ length: 12 }, (_, at) => turn(at + 2).slice(1, 3)).flat();
  expect(left(pruneOldResults([asked as BaseMessage, ...rest.slice(0, 2), ...many]))).toBe(0);
});
