import { HumanMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import { wrapOutside } from '@signalbox/contracts/governance/outside';
import { READ_DEFAULTS, tool, toolGroup } from '@signalbox/worker/tools/tool';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import type { Person } from '../support/person.ts';
import { createScriptedModels, type ScriptedAnswer } from '../support/scripted-model.ts';
import { openStack, type Stack } from '../support/stack.ts';

const LINES = Array.from(
  { length: 700 },
  (_, at) => `10.0.0.${at % 7} "GET /tea/${at}?q=${at * 7919}" 200 чай ${at} ms`,
);
const list = tool({
  describe: 'List many lines.',
  hints: ['list many lines'],
  input: z.object({}),
  ...READ_DEFAULTS,
  deadlineMs: 5_000,
  run: () => Promise.resolve({ lines: LINES }),
  phrases: { done: () => 'Many lines.' },
}).from({ lines: 'outside' });
const group = toolGroup({ name: 'test', summary: 'Long lists.', uses: [], tools: { list } });

const results: ToolMessage[] = [];
let stack: Stack;
let developer: Person;
let other: Person;

function answer(messages: readonly BaseMessage[]): ScriptedAnswer {
  const last = messages.at(-1);
  if (ToolMessage.isInstance(last)) {
    results.push(last);
    return { content: 'Noted.' };
  }
  const words = HumanMessage.isInstance(last) ? last.text : '';
  const [, handle, from] = /^read (\S+) (\d+)/.exec(words) ?? [];
  if (handle) return { toolCalls: [{ name: 'read_result', args: { handle, from: Number(from) } }] };
  return words === 'list' ? { toolCalls: [{ name: 'list', args: {} }] } : { content: 'Hello.' };
}

beforeAll(async () => {
  const models = createScriptedModels((messages, tools) =>
    tools.some(({ name }) => name === 'classify_intent')
      ? {
          toolCalls: [
            { name: 'classify_intent', args: { task_summary: 'list', capabilities: ['test'], project: null } },
          ],
        }
      : answer(messages),
  );
  stack = await openStack({ wiring: { groups: [group], models: () => Promise.resolve(models) } });
  developer = await stack.person(1002, 'developer');
  other = await stack.person(1003, 'operator');
}, 60_000);
afterAll(() => stack.close());

interface Told {
  readonly ok: boolean;
  readonly error?: string;
  readonly result: {
    readonly lines: unknown;
    readonly content: { outside: string; text: string[] };
    next_from?: number;
  };
  readonly more?: readonly { readonly rows: string; readonly handle: string }[];
}
const told = (): Told => JSON.parse(results.at(-1)?.text ?? '') as Told;

it('a model reads a long result in parts, by its handle, and each part has at most 2,000 tokens', async () => {
  await developer.ask('list');
  const { result, more } = told();
  const first = (result.lines as { text: string[] }).text;
  expect(result.lines).toEqual(wrapOutside('list', LINES.slice(0, first.length)));
  const handle = more?.[0]?.handle ?? '';
  expect(handle).toBe('res_1');
  const read = [...first];
  for (let from: number | undefined = first.length + 1; from !== undefined;) {
    await developer.ask(`read ${handle} ${from}`);
    const page = told().result;
    expect(page.content.outside).toBe('read_result');
    read.push(...page.content.text);
    from = page.next_from;
  }
  expect(read).toEqual(LINES);
  for (const { text } of results) expect(countTokens(text)).toBeLessThanOrEqual(2_000);
});

it('a handle means nothing in another conversation, nor does an invented one', async () => {
  await other.ask('hello');
  await other.ask('read res_1 1');
  expect(told()).toMatchObject({ ok: false, error: 'NOT_FOUND' });
  await developer.ask('read res_1.__proto__ 1');
  expect(told()).toMatchObject({ ok: false, error: 'NOT_FOUND' });
  await developer.ask("read res_1';-- 1");
  expect(told()).toMatchObject({ ok: false, error: 'NOT_FOUND' });
  await developer.ask('/new');
  await developer.ask('read res_1 1');
  expect(told()).toMatchObject({ ok: false, error: 'NOT_FOUND' });
});
