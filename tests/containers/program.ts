import { execFile } from 'node:child_process';

/** What a program wrote and how it ended. */
export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

/** Enough for the output of an image build. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Runs a program to its end, or until `timeoutMs`. Never throws for an exit code; -1 stands for a program that is not there. */
export function runProgram(
  program: string,
  words: readonly string[],
  options: { readonly env?: Readonly<Record<string, string>>; readonly cwd?: string; readonly timeoutMs?: number } = {},
): Promise<Ended> {
  const { env, cwd, timeoutMs = 60_000 } = options;
  const settings = { cwd, timeout: timeoutMs, maxBuffer: MAX_OUTPUT_BYTES, ...(env ? { env } : {}) };
  return new Promise((resolve) => {
    execFile(program, [...words], settings, (error, out, errorText) => {
      if (error === null) return resolve({ code: 0, out, error: errorText });
      resolve({ code: typeof error.code === 'number' ? error.code : -1, out, error: errorText });
    });
  });
}

/** The same, but a program that fails fails the test, with its last words. */
export async function mustRun(
  program: string,
  words: readonly string[],
  options: Parameters<typeof runProgram>[2] = {},
): Promise<string> {
  const { code, out, error } = await runProgram(program, words, options);
  if (code === 0) return out;
  throw new Error(`${program} ${words.join(' ')} ended with ${code}:\n${out.slice(-3_000)}\n${error.slice(-3_000)}`);
}
