import { ToolMessage, type BaseMessage } from '@langchain/core/messages';
import { toProviderExtras } from '@signalbox/models/kept';
import type { ScriptedAnswer } from '../../support/scripted-model.ts';
import { tool, toolGroup } from '@signalbox/worker/tools/tool';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { checkReplay } from '../../support/replay-check.ts';
import { eventually } from '../../support/until.ts';
import { openWorkerBench, type WorkerBench } from '../../support/worker.ts';

const NUL = 'a\0b';
const HALF = 'a\ud83db';

const isParser = (tools: readonly { readonly name: string }[]): boolean =>
  tools.some((one) => one.name === 'classify_intent');
const answered = (messages: readonly BaseMessage[]): string[] =>
  messages
    .slice(messages.findLastIndex((message) => message.getType() === 'human'))
    .filter(ToolMessage.isInstance)
    .map((message) => message.text);
const call = (name: string, args: Record<string, unknown>): ScriptedAnswer => ({ toolCalls: [{ name, args }] });

const Anything = z.looseObject({});
const spec = {
  input: Anything,
  role: 'developer',
  deadlineMs: 5_000,
  replay: 'harmless',
  hints: ['take it'],
  egress: false,
} as const;
const desk = toolGroup({
  name: 'desk',
  summary: 'A desk.',
  uses: [],
  tools: {
    keep: tool({
      ...spec,
      describe: 'Keep it.',
      risk: 'sensitive',
      run: async () => ({ page: `text${NUL}${HALF}` }),
      phrases: { done: () => `Kept${NUL}.` },
    }).from('outside'),
    look: tool({
      ...spec,
      describe: 'Look at it.',
      risk: 'safe',
      touchesPrivate: true,
      run: async () => ({ [NUL]: HALF, long: '😀'.repeat(20_000) }),
      phrases: { done: () => `Seen${HALF}.` },
    }).from('outside'),
    fail: tool({
      ...spec,
      describe: 'Fail.',
      risk: 'sensitive',
      run: () => Promise.reject(new Error(NUL)),
      phrases: { done: () => 'never' },
    }).from('outside'),
  },
});

const REFUSED: readonly (readonly [string, (bad: string) => ScriptedAnswer])[] = [
  ['an argument', (bad) => call('keep', { text: bad })],
  ['an argument of a look-up', (bad) => call('look', { text: bad })],
  ['a nested list', (bad) => call('keep', { list: [{ deep: ['fine', bad] }] })],
  ['the name of an argument', (bad) => call('keep', { deep: { [bad]: 1 } })],
  ['the name of a tool', (bad) => call(bad, {})],
  ['the name of a tool that exists', (bad) => call(`keep${bad}`, {})],
  ['what is said to the person', (bad) => call('respond_to_user', { message: bad })],
  ['a question', (bad) => call('respond_to_user', { message: bad, awaiting_response: true })],
  ['a button', (bad) => call('respond_to_user', { message: 'x', choices: [{ label: bad, value: bad }] })],
  ['the summary of a task', (bad) => call('finish_task', { summary: bad })],
  ['the name of a capability', (bad) => call('request_capabilities', { capabilities: [bad], reason: 'x' })],
  ['a reason', (bad) => call('request_capabilities', { capabilities: ['desk'], reason: bad })],
  ['a search', (bad) => call('search_knowledge', { query: bad })],
];

describe('text that a database cannot hold', () => {
  let bench: WorkerBench;
  let answer: ScriptedAnswer;
  let parsed: ScriptedAnswer;
  beforeAll(async () => {
    bench = await openWorkerBench();
    await bench.addPerson('7', 'developer');
    await bench.startWorker({
      wiring: { groups: [desk] },
      script: (messages, tools) => {
        if (isParser(tools)) return parsed;
        const [result] = answered(messages);
        return result === undefined ? answer : { content: `I was told: ${result}` };
      },
    });
  });
  afterAll(async () => {
    await checkReplay(bench.pool, [desk]);
    await bench.close();
  });

  const FINE = {
    toolCalls: [{ name: 'classify_intent', args: { task_summary: 't', capabilities: ['desk'], project: null } }],
  };
  /** The last reply to a message, in a conversation of its own. */
  const ask = async (given: ScriptedAnswer, intent: ScriptedAnswer = FINE): Promise<string> => {
    [answer, parsed] = [given, intent];
    await bench.say('7', 'x', { kind: 'new', silent: true });
    await bench.say('7', 'do it');
    await eventually(
      () => bench.outcomes('7'),
      (all) => all.every((one) => one !== null),
    );
    return (await bench.replies('7')).at(-1) ?? '';
  };
  const count = async (table: string): Promise<number> =>
    Number((await bench.pool.query<{ n: string }>(`select count(*) as n from ${table}`)).rows[0]?.n);

  describe.each([
    ['a NUL', NUL, 'NUL character'],
    ['half a surrogate pair', HALF, 'half a surrogate pair'],
  ])('%s', (_name, bad, words) => {
    it.each(REFUSED)('in %s makes the call be refused, with the reason for the model', async (_what, make) => {
      const before = await count('actions');
      const reply = await ask(make(bad));
      expect(reply).toContain('TOOL_INPUT_INVALID');
      expect(reply).toContain(words);
      expect(await count('actions')).toBe(before);
    });

    it.each<[string, () => ScriptedAnswer, string]>([
      ['a plain answer', () => ({ content: `Hello ${bad}` }), 'Hello a�b'],
      ['the id of an answer', () => ({ id: bad, content: 'Hello' }), 'Hello'],
      ['what a provider wants back', () => ({ content: 'Hello', kwargs: toProviderExtras('m', { x: bad }) }), 'Hello'],
      ['the result of a change', () => call('keep', {}), '"ok":true'],
      ['the result of a look-up', () => call('look', {}), '"ok":true'],
    ])('in %s does not fail the turn', async (_what, make, reply) => {
      expect(await ask(make())).toContain(reply);
    });

    it('in the parsed task does not fail the turn', async () => {
      const args = { task_summary: bad, capabilities: ['desk', bad], project: bad };
      expect(await ask({ content: 'Hello' }, { toolCalls: [{ name: 'classify_intent', args }] })).toBe('Hello');
      expect(await ask({ content: 'Hello' }, { content: JSON.stringify(args) })).toBe('Hello');
    });
  });

  it('in the error of a tool does not fail the turn', async () => {
    expect(await ask(call('fail', {}))).toContain('TOOL_FAILED');
  });

  it('has made no turn fail in the tests before', async () => {
    expect((await bench.pool.query(`select error from turns where outcome = 'failed'`)).rows).toEqual([]);
    expect(await count('dead_letters')).toBe(0);
  });
});
