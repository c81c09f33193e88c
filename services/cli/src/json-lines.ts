import { createInterface } from 'node:readline';
import { z } from 'zod';
import type { CommandContext, Report } from './command.ts';

/** What every line may carry besides: it stands in the answer again. */
const Identified = z.object({ id: z.unknown().optional() });

/**
 * Answers standard input line by line, in its order, as `--jsonl` promises: a JSON object in, one out. A line that cannot be read
 * gets an answer that says what to write instead (`example`), and then the report is not ok.
 */
export async function answerLines<T>(
  { input, out }: CommandContext,
  line: { readonly schema: z.ZodType<T>; readonly example: string },
  answer: (asked: T) => object,
): Promise<Report> {
  let ok = true;
  let number = 0;
  for await (const raw of createInterface({ input, crlfDelay: Infinity })) {
    number += 1;
    if (raw.trim() === '') continue;
    const read = readLine(raw, line);
    if ('error' in read) ok = false;
    const result = 'error' in read ? { line: number, ...read } : { ...read.echo, ...answer(read.asked) };
    out(`${JSON.stringify(result)}\n`);
  }
  return { ok, data: null, lines: [] };
}

type Read<T> = { readonly error: string } | { readonly asked: T; readonly echo: { readonly id?: unknown } };

function readLine<T>(
  raw: string,
  { schema, example }: { readonly schema: z.ZodType<T>; readonly example: string },
): Read<T> {
  let value: unknown;
  try {
    value = JSON.parse(raw);
  } catch {
    return { error: `This is no JSON. Write one object per line, such as ${example}.` };
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'the line'}: ${message}`);
    return { error: `${problems.join('; ')}. Write ${example}.` };
  }
  const { id } = Identified.parse(value);
  return { asked: parsed.data, echo: id === undefined ? {} : { id } };
}
