import type { ExecutionTurn, RecordedCall } from './execution-turn.ts';

/** What a turn does, as whoever watches it names it: coarser than its phases, and the same for every agent. */
export type ControlState =
  'idle' | 'analyze' | 'tool_decision' | 'policy_check' | 'execute' | 'await_confirmation' | 'respond';

const STATE_OF: Readonly<Record<string, ControlState>> = {
  IDLE: 'idle',
  THINKING: 'analyze',
  PROPOSING: 'tool_decision',
  GOVERNING: 'policy_check',
  EXECUTING: 'execute',
};

/** The state that a phase begins; null for one that is a part of the state before. */
export function controlStateOf(phase: string): ControlState | null {
  return STATE_OF[phase] ?? null;
}

/**
 * The states that a pass went through, in order. What a call came to and the verdict on it are a part of the state before. A call that
 * waits for a tap of the person, or for somebody's approval, ends in await_confirmation; a pass without calls, or the last one, in respond.
 */
export function controlStatesOf(
  record: Pick<ExecutionTurn, 'phases' | 'calls' | 'answer' | 'ended'>,
): readonly ControlState[] {
  const states = record.phases.flatMap((phase) => controlStateOf(phase) ?? []);
  const isAnswer = record.answer !== null && record.answer.calls.length === 0;
  return [
    ...states,
    ...(record.calls.some(isWaiting) ? (['await_confirmation'] as const) : []),
    ...(record.ended !== null || isAnswer ? (['respond'] as const) : []),
  ];
}

/** Policy let nothing run without a person, and no person has decided yet. */
function isWaiting({ decided, result }: RecordedCall): boolean {
  const effect = decided?.decision.effect;
  if (effect !== 'ask' && effect !== 'confirm') return false;
  return result.ok && !result.changed;
}
