/** A file of a policy folder. `name` is its path from there, with forward slashes. */
export interface PolicyFile {
  readonly name: string;
  readonly text: string;
}

/** What is wrong with a policy set, where, and for an example what was expected and what came. */
export interface PolicyProblem {
  readonly file: string;
  readonly line?: number | null;
  readonly rule?: string | null;
  readonly says: string;
  readonly expected?: string;
  readonly got?: string;
}

/** A policy set that cannot be used. `message` has one line for each problem. */
export class PolicySetError extends Error {
  readonly problems: readonly PolicyProblem[];

  constructor(problems: readonly PolicyProblem[]) {
    super(problems.map(describeProblem).join('\n'));
    this.name = 'PolicySetError';
    this.problems = problems;
  }
}

/** A question that the rules could not answer; the caller denies. `message` is for people, `detail` for the operator who mends it. */
export class EvaluationError extends Error {
  readonly detail: string;

  constructor(message: string, detail: string) {
    super(message);
    this.name = 'EvaluationError';
    this.detail = detail;
  }
}

/** The line of a text in which the character at `offset` stands, counted from 1. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, Math.max(0, offset)).split('\n').length;
}

function describeProblem({ file, line, rule, says, expected, got }: PolicyProblem): string {
  const place = [file, ...(line == null ? [] : [`line ${line}`]), ...(rule == null ? [] : [`rule ${rule}`])].join(', ');
  const outcome = expected === undefined ? '' : ` Expected ${expected}, got ${got ?? 'nothing'}.`;
  return `${place}: ${says}${outcome}`;
}
