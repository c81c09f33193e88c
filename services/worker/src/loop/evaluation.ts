export interface PassSummary {
  readonly passes: number;
  readonly maxPasses: number;
  readonly isWaiting: boolean;
  /** True when finish_task was accepted: the person saw a result and wrote after it. */
  readonly isFinished: boolean;
  /** Failed calls of this turn in order, each as its tool and arguments. */
  readonly failures: readonly string[];
}

/** How a pass ends. Only `continue` lets the model think again. */
export type EvaluationOutcome = 'continue' | 'done' | 'waiting' | 'limit' | 'loop' | 'budget';

/** A call that failed this often will fail again. */
const SAME_FAILURES = 3;

/** Judges a pass by what happened, never by what a model says. An end or a question to the person comes before the limits. Pure. */
export function evaluatePass(pass: PassSummary, isBudgetSpent: boolean): EvaluationOutcome {
  if (pass.isFinished) return 'done';
  if (pass.isWaiting) return 'waiting';
  if (isBudgetSpent) return 'budget';
  const last = pass.failures.at(-1);
  if (last !== undefined && pass.failures.filter((one) => one === last).length >= SAME_FAILURES) return 'loop';
  return pass.passes >= pass.maxPasses ? 'limit' : 'continue';
}
