/*
 * One pass of a turn, and only this table moves it. The model reasons in THINKING; effects happen in EXECUTING and nowhere else.
 *
 *   IDLE ─┬─▶ THINKING ─┬─▶ PROPOSING ─┬─▶ GOVERNING ─┬─▶ EXECUTING ─▶ OBSERVING ─┬─▶ EVALUATING ─┬─▶ THINKING
 *         │             └─▶ TERMINAL   │              └─▶ OBSERVING: not let run  │               └─▶ TERMINAL
 *         │                            └─▶ OBSERVING: policy is not asked         └─▶ GOVERNING, OBSERVING: the next call
 *         ├─▶ PROPOSING: a resumed run goes on with the answer of an earlier one
 *         └─▶ GOVERNING: a person decided about an action that was proposed before
 *
 * Policy is asked in GOVERNING and nowhere else. Nothing asks it about a call that only talks to the person or cannot be read.
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

/** From each phase, those that may follow. */
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

export type Machine = ReturnType<typeof createMachine>;

/** The phases of the newest pass of a path: a pass begins with thinking. */
export function passOf(path: readonly Phase[]): readonly Phase[] {
  return path.slice(Math.max(0, path.lastIndexOf('THINKING')));
}

/** The phases of each call of a pass, in order: every one ends with being observed. */
export function callPhases(pass: readonly string[]): readonly (readonly string[])[] {
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

/**
 * The phase of one turn, beginning at IDLE, also for a resumed run, whose effects are in the ledger. `entered` is
 * called with each later phase.
 */
export function createMachine(entered: (phase: Phase) => void = () => undefined) {
  const path: Phase[] = ['IDLE'];
  const phase = (): Phase => path.at(-1) ?? 'IDLE';
  return {
    phase,
    path: (): readonly Phase[] => [...path],
    /** Throws on an unknown transition, which is a programming error. */
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
