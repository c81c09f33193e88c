import { runGate as askGate } from '../../../../infra/gate/gate.mjs';
import type { CommandContext, CommandResult } from '../command.ts';

/** Asks people whether this pipeline may deploy, and waits for their decision: the program of docs/gates.md. */
export async function runGate({ environment, out, arguments: { json } }: CommandContext): Promise<CommandResult> {
  const lines: string[] = [];
  const write = (line: string): void => {
    lines.push(line);
    // Whoever reads a log of the pipeline sees at once that it waits.
    if (!json) out(`${line}\n`);
  };
  const code = await askGate(environment, { out: write, warn: write });
  return { ok: code === 0, data: { code, lines }, lines: [] };
}
