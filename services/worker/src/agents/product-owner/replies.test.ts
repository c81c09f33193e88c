import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import { expect, test } from 'vitest';
import { addNextButtons, listRepliesSince } from './replies.ts';
import { dropBlocks } from './results.ts';

const ask = new HumanMessage({ id: 'h1', content: 'export it' });
const call = (id: string, name: string, args: Record<string, unknown> = {}): AIMessage =>
  new AIMessage({ id: `ai_${id}`, content: '', tool_calls: [{ id, name, args, type: 'tool_call' }] });
const made = (id: string, names: readonly string[], status: 'success' | 'error' = 'success'): ToolMessage =>
  new ToolMessage({
    tool_call_id: id,
    content: '{"ok":true}',
    status,
    additional_kwargs: { say: 'Made.', files: names.map((name) => ({ artifactId: `art_${name}`, name })) },
  });
const answer = (text: string): AIMessage => new AIMessage({ id: 'ai_end', content: text });
const shown = (messages: readonly BaseMessage[]): unknown =>
  listRepliesSince([ask, ...messages], 0).map(({ text, files }) => [text, ...(files ?? []).map(({ name }) => name)]);

test('files that a tool made are attached once, to the answer that follows them', () => {
  expect(
    shown([call('c1', 'export'), made('c1', ['a.csv']), call('c2', 'export'), made('c2', ['b.csv']), answer('Done.')]),
  ).toEqual([['Done.', 'a.csv', 'b.csv']]);
  expect(shown([call('c1', 'export'), made('c1', ['a.csv']), answer('Here.'), answer('More.')])).toEqual([
    ['Here.', 'a.csv'],
    ['More.'],
  ]);
});

test('files that no answer follows are sent with a line of their own, even if the agent wrote during the turn', () => {
  const said = call('c2', 'respond_to_user', { message: 'Almost there.' });
  const result = new ToolMessage({ tool_call_id: 'c2', content: '{}', status: 'success' });
  expect(shown([call('c1', 'export'), made('c1', ['a.csv']), said, result])).toEqual([
    ['Almost there.'],
    ['Here is the file.', 'a.csv'],
  ]);
});

test('files over the limit of one message are sent as several messages, whose keys are stable', () => {
  const names = Array.from({ length: 23 }, (_, n) => `${n}.csv`);
  const messages = [ask, call('c1', 'export'), made('c1', names), answer('Done.')];
  const replies = listRepliesSince(messages, 0);
  expect(replies.map(({ files }) => files?.length)).toEqual([10, 10, 3]);
  expect(new Set(replies.map(({ key }) => key)).size).toBe(3);
  expect(listRepliesSince(messages, 0)).toEqual(replies);
});

test('the buttons of the newest tool are drawn below the answer, whether the answer is a text or a call', () => {
  const next = [{ label: 'Look again', value: 'look again' }];
  const looked = new ToolMessage({ tool_call_id: 'c1', name: 'look', content: '{}', additional_kwargs: { next } });
  const said = call('c2', 'respond_to_user', { message: 'All is well.', awaiting_response: true });
  const sent = new ToolMessage({ tool_call_id: 'c2', name: 'respond_to_user', content: '{}', status: 'success' });
  const drawn = (messages: readonly BaseMessage[]) =>
    addNextButtons(listRepliesSince([ask, ...messages], 0), messages).at(-1)?.buttons;
  expect(drawn([call('c1', 'look'), looked, answer('All is well.')])).toEqual(next);
  expect(drawn([call('c1', 'look'), looked, said, sent])).toEqual(next);
  const other = new ToolMessage({ tool_call_id: 'c3', name: 'other', content: '{}' });
  expect(drawn([call('c1', 'look'), looked, call('c3', 'other'), other, answer('Well.')])).toEqual([]);
});

test('a model does not read the output of a command a second time in the sentence about it', () => {
  expect(dropBlocks('`ls` finished (exit 0):\n\n```\na.txt\nb.txt\n```\n\nMore was not kept.')).toBe(
    '`ls` finished (exit 0): …\n\nMore was not kept.',
  );
  expect(dropBlocks('`ls` finished (exit 0) and wrote nothing.')).toBe('`ls` finished (exit 0) and wrote nothing.');
});
