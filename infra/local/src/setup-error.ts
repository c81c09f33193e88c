/** An error message for the terminal: the problem, the last output of the failed program, and the remedy. */
export class SetupError extends Error {
  override readonly name = 'SetupError';

  constructor(what: string, details: { readonly remedy: string; readonly output?: string; readonly cause?: unknown }) {
    const output = details.output?.trim();
    super([what, ...(output ? [takeLastLines(output, 20)] : []), details.remedy].join('\n'), { cause: details.cause });
  }
}

/** Returns the last `count` lines of a text, indented. */
export function takeLastLines(text: string, count: number): string {
  const lines = text.trimEnd().split('\n').slice(-count);
  return lines.map((line) => `    ${line}`).join('\n');
}
