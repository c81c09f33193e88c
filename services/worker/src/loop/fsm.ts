/*
 * The phases of one pass of a turn. The model reasons in THINKING; effects happen only in EXECUTING.
 *
 *   IDLE ─┬─▶ THINKING ─┬─▶ PROPOSING ─┬─▶ GOVERNING ─┬─▶ EXECUTING ─▶ OBSERVING ─┬─▶ EVALUATING ─┬─▶ THINKING
 *         │             └─▶ TERMINAL   │              └─▶ OBSERVING: refused      │               └─▶ TERMINAL
 *         │                            └─▶ OBSERVING: ungoverned call             └─▶ GOVERNING, OBSERVING: the next call
 *         ├─▶ PROPOSING: a resumed run continues with the answer of an earlier run
 *         └─▶ GOVERNING: a person decided about an action of an earlier turn
 *
 * Policy is asked only in GOVERNING, and never about a call that only talks to the person or is unreadable.
 */

export const PHASES = [
  'IDLE',
  'THINKING',
  'PROPOSING',
  'GOVERNING',
  'EXECUTING',
  'OBSERVING',
  'EVALUATING',
  'TERMINAL',
] as const;
export type Phase = (typeof PHASES)[number];

export const TRANSITIONS: Readonly<Record<Phase, readonly Phase[]>> = {
  IDLE: ['THINKING', 'PROPOSING', 'GOVERNING'],
  // An answer without proposals ends the turn.
  THINKING: ['PROPOSING', 'TERMINAL'],
  PROPOSING: ['GOVERNING', 'OBSERVING'],
  // A refusal is observed like a result: the model gets its reason.
  GOVERNING: ['EXECUTING', 'OBSERVING'],
  EXECUTING: ['OBSERVING'],
  // Proposals of one answer are decided in order, because the result of one may taint the next.
  OBSERVING: ['GOVERNING', 'OBSERVING', 'EVALUATING'],
  EVALUATING: ['THINKING', 'TERMINAL'],
  TERMINAL: [],
};

export type PhaseMachine = ReturnType<typeof createPhaseMachine>;

export function getNewestPass(path: readonly Phase[]): readonly Phase[] {
  return path.slice(Math.max(0, path.lastIndexOf('THINKING')));
}

/** Splits a pass into the phases of each call; every call ends with OBSERVING. */
export function splitPhasesByCall(pass: readonly string[]): readonly (readonly string[])[] {
  const calls: string[][] = [];
  let call: string[] = [];
  for (const phase of pass.slice(pass.indexOf('PROPOSING') + 1)) {
    call.push(phase);
    if (phase !== 'OBSERVING') continue;
    calls.push(call);
    call = [];
  }
  return calls;
}

/** Creates the state machine of one turn or resumed run, at IDLE. `entered` is called with each later phase. */
export function createPhaseMachine(entered: (phase: Phase) => void = () => undefined) {
  const path: Phase[] = ['IDLE'];
  const phase = (): Phase => path.at(-1) ?? 'IDLE';
  return {
    phase,
    path: (): readonly Phase[] => [...path],
    /** Throws on an invalid transition, which is a programming error. */
    to(next: Phase): void {
      const from = phase();
      if (!TRANSITIONS[from].includes(next))
        throw new Error(
          `A turn cannot go from ${from} to ${next}: from there it may go to ${TRANSITIONS[from].join(' or ') || 'nowhere'}. ` +
            'Effects are proposed with run.call(), which governs and executes them in order.',
        );
      path.push(next);
      entered(next);
    },
  };
}
