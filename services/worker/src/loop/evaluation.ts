export interface PassSummary {
  readonly passes: number;
  readonly maxPasses: number;
  readonly isWaiting: boolean;
  /** True when the runtime accepted the call finish_task, which ends the person's task. */
  readonly isFinished: boolean;
  /** Failed calls of this turn in order, each as its tool and arguments. */
  readonly failures: readonly string[];
}

/** How a pass ends. Only `continue` lets the model think again. */
export type EvaluationOutcome = 'continue' | 'done' | 'waiting' | 'limit' | 'loop' | 'budget';

/** After this many equal failures, repeating the call is taken for useless. */
const SAME_FAILURES = 3;

/** Judges a pass by what happened, never by what a model says. Finishing or asking the person outranks the limits. Pure. */
export function evaluatePass(pass: PassSummary, isBudgetSpent: boolean): EvaluationOutcome {
  if (pass.isFinished) return 'done';
  if (pass.isWaiting) return 'waiting';
  if (isBudgetSpent) return 'budget';
  const last = pass.failures.at(-1);
  if (last !== undefined && pass.failures.filter((one) => one === last).length >= SAME_FAILURES) return 'loop';
  return pass.passes >= pass.maxPasses ? 'limit' : 'continue';
}
