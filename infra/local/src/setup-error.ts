/**
 * Something on this machine keeps Signalbox from starting. The message is written for the person at the terminal:
 * what happened, the last lines that the failing program wrote, and what to do about it.
 */
export class SetupError extends Error {
  override readonly name = 'SetupError';

  constructor(what: string, details: { readonly remedy: string; readonly output?: string; readonly cause?: unknown }) {
    const output = details.output?.trim();
    super([what, ...(output ? [lastLines(output, 20)] : []), details.remedy].join('\n'), { cause: details.cause });
  }
}

/** The last `count` lines of a text, each indented so that they read as a quotation. */
export function lastLines(text: string, count: number): string {
  const lines = text.trimEnd().split('\n').slice(-count);
  return lines.map((line) => `    ${line}`).join('\n');
}
