import { expect, it } from 'vitest';
import { listControlStates } from './control-state.ts';
import type { ExecutionTurn } from './execution-turn.ts';

type RecordFields = Parameters<typeof listControlStates>[0];

const record = (phases: readonly string[], more: Partial<Record<keyof RecordFields, unknown>> = {}): RecordFields =>
  ({ phases, calls: [], answer: null, ended: null, ...more }) as unknown as ExecutionTurn; // listControlStates reads no other fields

const call = (effect: string, changed: boolean): unknown => ({
  decided: { decision: { effect } },
  result: { ok: true, changed },
});

it('a pass of the agent loop that runs a tool has the states analyze, tool_decision, policy_check and execute', () => {
  const phases = ['THINKING', 'PROPOSING', 'GOVERNING', 'EXECUTING', 'OBSERVING', 'EVALUATING'];
  expect(listControlStates(record(phases, { calls: [call('run', true)] }))).toEqual([
    'analyze',
    'tool_decision',
    'policy_check',
    'execute',
  ]);
});

it.each(['ask', 'confirm'])(
  'a tool call that policy answers with “%s” has the states await_confirmation and respond',
  (effect) => {
    const phases = ['THINKING', 'PROPOSING', 'GOVERNING', 'OBSERVING', 'EVALUATING', 'TERMINAL'];
    const ended = { outcome: 'waiting' };
    expect(listControlStates(record(phases, { calls: [call(effect, false)], ended })).slice(-2)).toEqual([
      'await_confirmation',
      'respond',
    ]);
  },
);

it('a confirmed call that was executed does not have the state await_confirmation', () => {
  const phases = ['THINKING', 'PROPOSING', 'GOVERNING', 'EXECUTING', 'OBSERVING'];
  expect(listControlStates(record(phases, { calls: [call('confirm', true)] }))).not.toContain('await_confirmation');
});

it('an answer without tool calls has only the states analyze and respond', () => {
  expect(listControlStates(record(['THINKING'], { answer: { calls: [] } }))).toEqual(['analyze', 'respond']);
});
