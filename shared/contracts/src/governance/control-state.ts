import type { ExecutionTurn, RecordedCall } from './execution-turn.ts';

/** State of a turn as shown to observers: less detailed than the phases, and the same for every agent. */
export type ControlState =
  'idle' | 'analyze' | 'tool_decision' | 'policy_check' | 'execute' | 'await_confirmation' | 'respond';

const STATE_OF: Readonly<Record<string, ControlState>> = {
  IDLE: 'idle',
  THINKING: 'analyze',
  PROPOSING: 'tool_decision',
  GOVERNING: 'policy_check',
  EXECUTING: 'execute',
};

/** Returns the control state that begins with a phase; null when the phase continues the current state. */
export function getControlState(phase: string): ControlState | null {
  return STATE_OF[phase] ?? null;
}

/** Lists the control states of a pass. Waiting calls end in await_confirmation; a pass without calls, or the last, in respond. */
export function listControlStates(
  record: Pick<ExecutionTurn, 'phases' | 'calls' | 'answer' | 'ended'>,
): readonly ControlState[] {
  const states = record.phases.flatMap((phase) => getControlState(phase) ?? []);
  const isAnswer = record.answer !== null && record.answer.calls.length === 0;
  return [
    ...states,
    ...(record.calls.some(isWaiting) ? (['await_confirmation'] as const) : []),
    ...(record.ended !== null || isAnswer ? (['respond'] as const) : []),
  ];
}

/** True when policy requires the decision of a person who has not decided yet. */
function isWaiting({ decided, result }: RecordedCall): boolean {
  const effect = decided?.decision.effect;
  if (effect !== 'ask' && effect !== 'confirm') return false;
  return result.ok && !result.changed;
}
