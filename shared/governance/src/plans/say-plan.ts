import { wrapOutside } from '@signalbox/contracts/governance/outside';
import { say } from '@signalbox/messages/say';
import { readStepState, type Plan } from '@signalbox/store/governance/plans';
import type { ToolCallResult } from '../calls/call.ts';

/** The result of a plan's call, as far as the plan is. */
export function createPlanResult(plan: Plan): ToolCallResult {
  const { text } = sayProgress(plan);
  const isOutside = plan.outcomes.some((outcome) => outcome.isOutside);
  const steps = plan.steps.map(({ proposal: { action } }, at) => {
    const outcome = plan.outcomes[at];
    const why = outcome && outcome.say !== '' ? { say: quote(outcome.say, outcome.isOutside) } : {};
    return { step: at + 1, tool: action.tool, state: readStepState(plan, at), ...why };
  });
  return {
    ok: true,
    result: { plan: plan.planId, state: plan.state, steps },
    say: text,
    code: null,
    changed: true,
    ...(isOutside ? { untrusted: true } : {}),
    ...(plan.state === 'running' ? { goesOn: true } : {}),
  };
}

/** Says how far a plan is. `line`: one line for its approval card; `text`: with a line for each step. */
export function sayProgress(plan: Plan): { readonly line: string; readonly text: string } {
  const { steps, outcomes, state } = plan;
  const count = steps.length;
  const at = Math.min(outcomes.length, count - 1);
  const last = outcomes.at(-1);
  const isStopped = state === 'stopped';
  const step = isStopped ? outcomes.length : at + 1;
  const what = steps[step - 1]?.what ?? '';
  const head = say('governance.planState', { state, count, step, what, why: last?.say ?? '' });
  const mark = { running: '⏳ ', stopped: '❌ ', done: '' }[state];
  const lines = steps.map((one, place) => {
    const outcome = outcomes[place];
    const why = outcome && outcome.state !== 'done' ? outcome.say : '';
    const reached = readStepState(plan, place);
    return `${place + 1}. ${MARKS[reached]} ${say('governance.planStepState', { what: one.what, state: reached, why })}`;
  });
  return { line: `${mark}${head}`, text: [head, lines.join('\n')].join('\n\n') };
}

const MARKS = {
  done: '✅',
  failed: '❌',
  unknown: '❓',
  not_met: '⏹',
  changed: '⏹',
  refused: '⏹',
  stopped: '⏹',
  running: '⏳',
  ahead: '▫️',
  never: '▫️',
} as const;

function quote(text: string, isOutside: boolean): unknown {
  return isOutside ? wrapOutside('propose_plan', text) : text;
}
