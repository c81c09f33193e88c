import { Readable } from 'node:stream';
import { runCommandLine } from '@signalbox/cli/command-line';
import { SAMPLE_AGENTS } from '@signalbox/local/config';

/** What a command line left behind: its exit code, what it wrote, and with `--json` what that says. */
export interface Written {
  readonly code: 0 | 1 | 2;
  readonly out: string;
  readonly error: string;
  readonly json: unknown;
}

/** A terminal that runs `signalbox` commands in this process with the given environment and the samples; `typed` are lines of input. */
export function openTerminal(environment: Readonly<Record<string, string>>, typed: readonly string[] = []) {
  return async (...words: readonly string[]): Promise<Written> => {
    let [out, error] = ['', ''];
    const input = Readable.from(typed.map((line) => `${line}\n`));
    const output = { input, out: (text: string) => void (out += text), error: (text: string) => void (error += text) };
    const code = await runCommandLine(words, output, { AGENTS: SAMPLE_AGENTS, ...environment });
    return { code, out, error, json: words.includes('--json') ? JSON.parse(out) : null };
  };
}
