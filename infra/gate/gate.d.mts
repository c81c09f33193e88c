/** Runs the gate with these variables. Returns the exit code: 0 approved, 1 refused or expired, 2 not asked. `out` and `warn` take lines. */
export function runGate(
  env: Readonly<Record<string, string | undefined>>,
  streams: { readonly out: (line: string) => void; readonly warn: (line: string) => void },
): Promise<0 | 1 | 2>;
