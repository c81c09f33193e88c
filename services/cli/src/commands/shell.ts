import { createInterface } from 'node:readline';
import { classifyCommand, type Classification } from '@signalbox/shared/shell/classification';
import { z } from 'zod';
import { UsageError, type CommandContext, type Report } from '../command.ts';

const USAGE =
  'Write `shell explain "<command>"`, or `shell explain --jsonl` with one object per line on standard input.';

/** A line of `--jsonl`. Other fields may stand beside these. */
const Line = z.object({ id: z.unknown().optional(), command: z.string() });

/** `shell explain`: says what would become of a command, and runs nothing. Needs no database and no Redis. */
export async function runShell(context: CommandContext): Promise<Report> {
  const [action, ...words] = context.arguments.words;
  if (action !== 'explain') throw new UsageError(USAGE);
  if (context.arguments.jsonl) return explainLines(context);
  const command = words.join(' ');
  if (command.trim() === '') throw new UsageError(USAGE);
  const classification = classifyCommand(command);
  return { ok: true, data: classification, lines: describe(classification) };
}

/** One result per line, in the order of the input. A line that cannot be read gets a result that says so. */
async function explainLines({ input, out }: CommandContext): Promise<Report> {
  let ok = true;
  let number = 0;
  for await (const raw of createInterface({ input, crlfDelay: Infinity })) {
    number += 1;
    if (raw.trim() === '') continue;
    const line = readLine(raw);
    if ('error' in line) ok = false;
    const id = 'id' in line && line.id !== undefined ? { id: line.id } : {};
    const result = 'error' in line ? { line: number, ...line } : { ...id, ...classifyCommand(line.command) };
    out(`${JSON.stringify(result)}\n`);
  }
  return { ok, data: null, lines: [] };
}

function readLine(raw: string): z.infer<typeof Line> | { readonly error: string } {
  let value: unknown;
  try {
    value = JSON.parse(raw);
  } catch {
    return { error: 'This is no JSON. Write one object per line, such as {"command": "ls -la"}.' };
  }
  const parsed = Line.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'the line'}: ${message}`);
  return { error: `${problems.join('; ')}. Write {"command": "ls -la"}.` };
}

function describe({ decision, reason, risk, pipeline }: Classification): readonly string[] {
  const steps = (pipeline ?? []).map(
    (argv, index) => `${index === 0 ? 'runs     ' : 'and pipes'} ${JSON.stringify(argv)}`,
  );
  return [`decision  ${decision}`, `reason    ${reason}`, `risk      ${risk}`, ...steps];
}
