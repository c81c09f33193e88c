import { AIMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import type { ModelScript, ScriptedAnswer } from '../support/scripted-model.ts';
import { tool, toolGroup } from '@signalbox/worker/tools/tool';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { checkReplay } from '../support/replay-check.ts';
import { eventually } from '../support/until.ts';
import { openWorkerBench, type WorkerBench } from '../support/worker.ts';

interface Effect {
  readonly userKey: string;
  readonly actionId: string;
  readonly paper: string;
}

let bench: WorkerBench;
let effects: Effect[];
let isStuck: boolean;
let stuck: number;
beforeEach(async () => {
  [effects, isStuck, stuck] = [[], false, 0];
  bench = await openWorkerBench();
  await bench.addPerson('7', 'developer');
  await bench.addPerson('8', 'developer');
});
afterEach(async () => {
  try {
    await checkReplay(bench.pool, [papers]);
  } finally {
    await bench.close();
  }
});

const spec = {
  input: z.object({ paper: z.string() }),
  role: 'viewer',
  deadlineMs: 60_000,
  replay: 'harmless',
  egress: false,
  hints: ['paper alpha', 'the paper beta', 'paper gamma'],
} as const;
/** What a result says of whose it is: nobody else may be given it. */
const textOf = (userKey: string, paper: string): string => `<${paper} of ${userKey}>`;
const papers = toolGroup({
  name: 'papers',
  summary: 'Papers that are signed and read.',
  uses: [],
  tools: {
    sign_paper: tool({
      ...spec,
      describe: 'Sign a paper.',
      risk: 'sensitive',
      run: async ({ paper }, { actor, actionId }) => {
        effects.push({ userKey: actor.userKey, actionId, paper });
        return textOf(actor.userKey, paper);
      },
      phrases: { done: () => 'Signed.' },
    }).from('runtime'),
    read_paper: tool({
      ...spec,
      describe: 'Read a paper.',
      risk: 'safe',
      touchesPrivate: true,
      run: async ({ paper }, { actor }) => textOf(actor.userKey, paper),
      phrases: { done: () => 'Read.' },
    }).from('runtime'),
    find_paper: tool({
      ...spec,
      describe: 'Find a paper.',
      risk: 'safe',
      run: async ({ paper }, { actor, signal }) => {
        // Hangs until its worker is gone.
        if (isStuck) {
          stuck += 1;
          await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
        }
        return textOf(actor.userKey, paper);
      },
      phrases: { done: () => 'Found.' },
    }).from('runtime'),
  },
});

const isParser = (tools: readonly { readonly name: string }[]): boolean =>
  tools.some((one) => one.name === 'classify_intent');
const intent: ScriptedAnswer = {
  toolCalls: [{ name: 'classify_intent', args: { task_summary: 'test', capabilities: ['papers'], project: null } }],
};
const load: ScriptedAnswer = {
  toolCalls: [{ name: 'request_capabilities', args: { capabilities: ['papers'], reason: 'test' } }],
};
const isLoad = ({ tool_calls }: AIMessage): boolean =>
  tool_calls?.some(({ name }) => name === 'request_capabilities') ?? false;
const sinceAsked = (messages: readonly BaseMessage[]): readonly BaseMessage[] =>
  messages.slice(messages.findLastIndex((message) => message.getType() === 'human'));
const results = (messages: readonly BaseMessage[]): string[] =>
  sinceAsked(messages)
    .filter(ToolMessage.isInstance)
    .map((message) => message.text);

const start = (script: ModelScript) => bench.startWorker({ script, wiring: { groups: [papers] } });
const ask = (userKey: string, text: string): Promise<readonly string[]> => bench.ask(userKey, text);
const refused = async (): Promise<number | null> =>
  (await bench.pool.query(`select 1 from audit_events where kind = 'action.refused'`)).rowCount;

const id = fc.constantFrom('chatcmpl-1', 'chatcmpl-2', 'act_1', 'tool_act_1_0', 'telegram:100:1', '', 'ans_1');
const call = fc.record({
  id,
  name: fc.constantFrom('sign_paper', 'sign_paper', 'read_paper', 'find_paper', 'no_such_tool'),
  args: fc.record({ paper: fc.constantFrom('alpha', 'beta') }),
});
const answer = fc.record({ id, toolCalls: fc.array(call, { minLength: 1, maxLength: 3 }) });
/** A call that fails for the third time ends its turn, whatever its id: see evaluation.test.ts. */
const isEnded = (
  answers: readonly {
    readonly toolCalls: readonly { readonly name: string; readonly args: { readonly paper: string } }[];
  }[],
) => {
  const failing = answers.flatMap(({ toolCalls }) => toolCalls.filter(({ name }) => name === 'no_such_tool'));
  return failing.some(({ args }) => failing.filter((other) => other.args.paper === args.paper).length >= 3);
};
const turn = fc.record({
  userKey: fc.constantFrom('7', '8'),
  answers: fc.array(answer, { maxLength: 2 }).filter((answers) => !isEnded(answers)),
  lastId: id,
});

describe('a model that chooses its own call ids', () => {
  it('causes no effect without a database row and events, and never gets the result of another call', async () => {
    let plan: { readonly answers: readonly ScriptedAnswer[]; readonly lastId: string } = { answers: [], lastId: '' };
    let turns = 0;
    await start((messages, tools) => {
      if (isParser(tools)) return intent;
      // A group that some turns have not used is gone, and a model that needs it loads it again.
      if (!tools.some(({ name }) => name === 'sign_paper')) return load;
      const passes = sinceAsked(messages).filter((message) => AIMessage.isInstance(message) && !isLoad(message)).length;
      return plan.answers[passes] ?? { id: plan.lastId, content: `turn ${turns}: ${results(messages).join(' ')}` };
    });
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { minLength: 2, maxLength: 4 }), async (conversation) => {
        for (const { userKey, answers, lastId } of conversation) {
          [plan, turns] = [{ answers, lastId }, turns + 1];
          const before = effects.length;
          const said = (await ask(userKey, 'go on')).join('\n');
          const calls = answers.flatMap(({ toolCalls }) => toolCalls);
          expect(said).toContain(`turn ${turns}:`);
          expect(said).not.toContain(`of ${userKey === '7' ? '8' : '7'}>`);
          const given = calls
            .filter(({ name }) => name !== 'no_such_tool')
            .map(({ args }) => textOf(userKey, args.paper));
          expect(said.match(/<\w+ of \d>/g) ?? []).toEqual(given);
          const signed = calls.filter(({ name }) => name === 'sign_paper').map(({ args }) => args.paper);
          expect(effects.slice(before).map(({ paper }) => paper)).toEqual(signed);
        }
      }),
      { numRuns: 15 },
    );
    const { rows } = await bench.pool.query(
      `select a.user_key as "userKey", a.action_id as "actionId", a.arguments ->> 'paper' as paper,
              (select array_agg(e.kind order by e.event_id) from audit_events e where e.action_id = a.action_id) as events
         from actions a where a.tool = 'sign_paper' order by a.started_at`,
    );
    const events = ['action.decided', 'action.started', 'action.settled'];
    expect(rows).toEqual(effects.map((effect) => ({ ...effect, events })));
    expect(await refused()).toBe(0);
  });

  it.each<[string, ScriptedAnswer, string]>([
    [
      'nothing of the first answer was written',
      { toolCalls: [{ name: 'find_paper', args: { paper: 'alpha' } }] },
      '<beta of 7>',
    ],
    [
      'a look-up of the first answer is remembered',
      {
        toolCalls: [
          { name: 'read_paper', args: { paper: 'alpha' } },
          { name: 'find_paper', args: { paper: 'alpha' } },
        ],
      },
      '<alpha of 7> <alpha of 7> <beta of 7>',
    ],
    [
      'the first answer had its effect',
      {
        toolCalls: [
          { name: 'sign_paper', args: { paper: 'alpha' } },
          { name: 'find_paper', args: { paper: 'alpha' } },
        ],
      },
      '<alpha of 7> <alpha of 7> <beta of 7>',
    ],
  ])(
    'and answers differently after a crash neither repeats an effect nor gets a wrong result: %s',
    async (_, first, given) => {
      isStuck = true;
      const dying = await start((_messages, tools) => (isParser(tools) ? intent : { id: 'chatcmpl-1', ...first }));
      await bench.say('7', 'go on');
      await eventually(
        async () => stuck,
        (count) => count === 1,
      );
      await dying.close();
      isStuck = false;
      await start((messages, tools) => {
        if (isParser(tools)) return intent;
        const all = results(messages);
        if (!all.some((text) => text.includes('beta')))
          return { id: 'chatcmpl-1', toolCalls: [{ name: 'sign_paper', args: { paper: 'beta' } }] };
        return { id: 'chatcmpl-1', content: all.join(' ') };
      });
      await bench.wake('7');
      await bench.settle();
      const said = (await bench.replies('7')).join('\n');
      expect((said.match(/<\w+ of \d>/g) ?? []).join(' ')).toBe(given);
      const signs = (first.toolCalls ?? []).some(({ name }) => name === 'sign_paper');
      expect(effects.map(({ paper }) => paper)).toEqual(signs ? ['alpha', 'beta'] : ['beta']);
      expect((await bench.pool.query(`select 1 from actions where tool = 'sign_paper'`)).rowCount).toBe(effects.length);
      expect(await refused()).toBe(0);
    },
  );
});
