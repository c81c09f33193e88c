/** The judge's facts of a turn after a pass. */
export interface PassFacts {
  readonly passes: number;
  readonly maxPasses: number;
  readonly isWaiting: boolean;
  /** finish_task was accepted: the person saw a result and wrote after it. */
  readonly isFinished: boolean;
  /** Failed calls of this turn in order, each as its tool and arguments. */
  readonly failures: readonly string[];
}

/** How a pass ends. Only `continue` lets the model think again. */
export type EvaluationOutcome = 'continue' | 'done' | 'waiting' | 'limit' | 'loop' | 'budget';

/** A call that failed this often will fail again. */
const SAME_FAILURES = 3;

/**
 * The judge: a pure function of what happened, never of what a model says about it. What the person waits for goes first; then the limits.
 */
export function evaluate(pass: PassFacts, isBudgetSpent: boolean): EvaluationOutcome {
  if (pass.isFinished) return 'done';
  if (pass.isWaiting) return 'waiting';
  if (isBudgetSpent) return 'budget';
  const last = pass.failures.at(-1);
  if (last !== undefined && pass.failures.filter((one) => one === last).length >= SAME_FAILURES) return 'loop';
  return pass.passes >= pass.maxPasses ? 'limit' : 'continue';
}
