/** One run of node. */
export interface Step {
  readonly title: string;
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

export type Plan = {
  readonly mode: 'replace' | 'in-turn' | 'checks';
  readonly steps: readonly Step[];
  /** It runs built files, which have to be brought up to their sources first. */
  readonly needsBuild?: true;
};

export function describeNodeProblem(version: string): string | null;

export function planCommand(
  command: string,
  words: readonly string[],
  checkout: string,
  environment: Readonly<Record<string, string | undefined>>,
): Plan | { readonly problem: string };
