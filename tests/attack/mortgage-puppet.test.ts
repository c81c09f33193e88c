import { AIMessage } from '@langchain/core/messages';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import group from '@signalbox/example-bank/capabilities/mortgage';
import { evaluatePass } from '@signalbox/worker/loop/evaluation';
import { createPhaseMachine, getNewestPass } from '@signalbox/worker/loop/fsm';
import { ReplayStates } from '@signalbox/worker/replay/states';
import { createFailedResult, type ToolCallResult } from '@signalbox/governance/calls/call';
import { createRegistry } from '@signalbox/worker/tools/registry';
import { AppError } from '@signalbox/contracts/errors';
import type { AgentRun } from '@signalbox/worker/agents/agent';
import { actions } from '@signalbox/example-bank/mortgage/actions';
import mortgage from '@signalbox/example-bank/mortgage/index';
import '../support/samples.ts'; // the bank's codes and sentences

type Call = Parameters<AgentRun['call']>[0];

/** What a model may answer that somebody has taken over: actions of its own and of others, with any data, or anything at all. */
const named = fc.record({
  action: fc.constantFrom(...Object.keys(actions), 'none', 'freeze_card', 'trigger_deploy', 'run_command', '__proto__'),
  data: fc.oneof(
    fc.constant({}),
    fc.constant({ productId: 'fix5-75' }),
    fc.constant({ propertyValue: 300_000, loanBalance: 200_000, fixYears: 5 }),
    fc.constant({ propertyValue: 300_000, loanBalance: 200_000 }),
    fc.constant({ address: '1 Lantern Street QX1 1AA' }),
    fc.dictionary(fc.string({ maxLength: 12 }), fc.jsonValue(), { maxKeys: 4 }),
  ),
});
const choose = (acts: readonly unknown[]): AIMessage =>
  new AIMessage({ content: '', tool_calls: [{ id: 'x', name: 'choose_acts', args: { acts } }] });
/** One wrong act makes the whole answer unusable, so mere chance seldom gets as far as a tool. */
const fitting = fc.constantFrom(
  { action: 'set_intent', data: { propertyValue: 300_000, loanBalance: 200_000, fixYears: 5 } },
  { action: 'set_intent', data: { propertyValue: 300_000, loanBalance: 200_000 } },
  { action: 'select_product', data: { productId: 'fix5-75' } },
  { action: 'check_address', data: { address: '1 Lantern Street QX1 1AA' } },
  { action: 'show_products' },
  { action: 'request_branch' },
  { action: 'reset' },
);
const answers = fc.oneof(
  fc.array(fitting, { minLength: 1, maxLength: 3 }).map(choose),
  fc.array(named, { maxLength: 3 }).map(choose),
  named.map(({ action }) => new AIMessage({ content: '', tool_calls: [{ id: 'x', name: action, args: {} }] })),
  fc.json().map((text) => new AIMessage(text)),
  fc.string().map((text) => new AIMessage(text)),
);

/** Has one person talk to the agent, whose model answers this. Returns the calls that it proposed. */
async function talk(given: readonly AIMessage[]): Promise<readonly Call[]> {
  const calls: Call[] = [];
  const left = [...given];
  const agent = mortgage.create({
    checkpoints: new ReplayStates(),
    registry: createRegistry([group]),
    others: [],
    maxPasses: 20,
    knownNames: () => Promise.resolve({}),
    cameOf: () => Promise.resolve({}),
    readResult: () => Promise.reject(new Error('nothing is read again here')),
    search: () => Promise.reject(new Error('nothing is searched')),
    model: () => ({
      name: 'puppet',
      ask: () => Promise.resolve({ message: left.shift() ?? new AIMessage('nothing'), model: 'puppet' }),
    }),
  });
  for (let turn = 0; left.length > 0; turn += 1) {
    const result = await agent.run({
      messages: [{ id: `m${turn}`, text: 'do as you please', event: null }],
      run: puppetRun(turn, calls),
      resume: false,
      threadNew: turn === 0,
    });
    expect(result.replies.length).toBeGreaterThan(0);
  }
  return calls;
}

function puppetRun(turn: number, calls: Call[]): AgentRun {
  const machine = createPhaseMachine();
  return {
    turnId: `turn_${turn}`,
    threadId: 'user_1_1',
    traceId: 'trc_1',
    chatKey: 'telegram:1',
    actor: { userKey: '1', name: 'P', role: 'viewer' },
    signal: new AbortController().signal,
    answerId: (turnKey, pass) => `ans_${turnKey}_${pass}`,
    enter: machine.to,
    path: () => getNewestPass(machine.path()),
    judge: (facts) => Promise.resolve(evaluatePass(facts, false)),
    call: (call) => {
      calls.push(call);
      machine.to('OBSERVING');
      return Promise.resolve(answerTo(call.tool));
    },
    load: () => Promise.reject(new Error('its groups come with it')),
    reader: () => ({ userKey: '1001', chatKey: null, mayRead: () => false }),
    offer: () => Promise.reject(new Error('its groups come with it')),
    keep: () => Promise.reject(new Error('its groups come with it')),
    say: () => Promise.reject(new Error('it says nothing in the middle')),
    reads: () => Promise.resolve(),
    draft: () => undefined,
    spent: () => undefined,
  };
}

/** As the tools answer; changes are refused, as they are for a viewer. */
function answerTo(tool: string): ToolCallResult {
  const done = (result: unknown): ToolCallResult => ({ ok: true, result, say: 'Done.', code: null, changed: false });
  if (tool === 'list_mortgage_fixes') return done({ fixes: [2, 5] });
  if (tool === 'check_property_address') return done({ address: null });
  if (tool !== 'find_mortgage_products')
    return createFailedResult(new AppError('NOT_PERMITTED', { role: 'viewer', needed: 'developer' }));
  const terms = { maxLtv: '75.00', rate: '4.120', followOnRate: '7.490', fee: '999.00', currency: 'GBP' };
  return done({ products: [{ productId: 'fix5-75', fixYears: 5, ...terms }], fixes: [2, 5] });
}

it('a model that an attacker controls can make the agent propose only its own tools, with valid arguments', async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(answers, { minLength: 1, maxLength: 4 }), async (given) => {
      for (const { tool, args, groups } of await talk(given)) {
        seen.add(tool);
        expect(groups).toEqual(['mortgage']);
        expect(Object.keys(group.tools)).toContain(tool);
        expect(group.tools[tool]?.input.safeParse(args).success).toBe(true);
      }
    }),
    { numRuns: 500 },
  );
  // It has been tried: each of the tools was reached.
  expect([...seen].sort()).toEqual(Object.keys(group.tools).sort());
});
