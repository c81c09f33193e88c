import type { ExecutionTurn, RecordedCall } from './execution-turn.ts';

/** State of a turn for observers: less detailed than its phases, and the same for every agent. */
export type ControlState =
  'idle' | 'analyze' | 'tool_decision' | 'policy_check' | 'execute' | 'await_confirmation' | 'respond';

const STATE_OF: Readonly<Record<string, ControlState>> = {
  IDLE: 'idle',
  THINKING: 'analyze',
  PROPOSING: 'tool_decision',
  GOVERNING: 'policy_check',
  EXECUTING: 'execute',
};

/** The control state that a phase starts; null when the phase continues the previous state. */
export function getControlState(phase: string): ControlState | null {
  return STATE_OF[phase] ?? null;
}

/** The control states of a pass. Waiting calls end in await_confirmation; a pass without calls, or the last, in respond. */
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

/** True when policy requires a person who has not decided yet. */
function isWaiting({ decided, result }: RecordedCall): boolean {
  const effect = decided?.decision.effect;
  if (effect !== 'ask' && effect !== 'confirm') return false;
  return result.ok && !result.changed;
}
