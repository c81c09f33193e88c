/** A file of a policy folder; `name` is its relative path with forward slashes. */
export interface PolicyFile {
  readonly name: string;
  readonly text: string;
}

/** A problem of a policy set; for a failed example, with the expected and actual result. */
export interface PolicyProblem {
  readonly file: string;
  readonly line?: number | null;
  readonly rule?: string | null;
  readonly says: string;
  readonly expected?: string;
  readonly got?: string;
}

/** An invalid policy set. `message` has one line per problem. */
export class PolicySetError extends Error {
  readonly problems: readonly PolicyProblem[];

  constructor(problems: readonly PolicyProblem[]) {
    super(problems.map(describeProblem).join('\n'));
    this.name = 'PolicySetError';
    this.problems = problems;
  }
}

/** Thrown when rules cannot be evaluated; the caller denies. `message` is for people, `detail` for operators. */
export class EvaluationError extends Error {
  readonly detail: string;

  constructor(message: string, detail: string) {
    super(message);
    this.name = 'EvaluationError';
    this.detail = detail;
  }
}

/** Returns the line number, from 1, of an offset in a text. */
export function getLineAt(text: string, offset: number): number {
  return text.slice(0, Math.max(0, offset)).split('\n').length;
}

function describeProblem({ file, line, rule, says, expected, got }: PolicyProblem): string {
  const place = [file, ...(line == null ? [] : [`line ${line}`]), ...(rule == null ? [] : [`rule ${rule}`])].join(', ');
  const outcome = expected === undefined ? '' : ` Expected ${expected}, got ${got ?? 'nothing'}.`;
  return `${place}: ${says}${outcome}`;
}
