import { createInterface } from 'node:readline';
import { parseJson } from '@signalbox/contracts/system-error';
import type { z } from 'zod';
import type { CommandContext, Report } from './command.ts';

/** What is wrong with a line, and what to write instead. */
export interface LineProblem {
  readonly error: string;
}

/** What a line may be; other fields may stand beside these. */
export interface LineForm<T> {
  readonly schema: z.ZodType<T>;
  readonly example: string;
}

/**
 * Answers standard input line by line, in its order, as `--jsonl` promises: a JSON object in, one out. An `id` stands in the answer
 * again, and is no part of what is asked; what is no JSON is undefined. The report is not ok when there was a problem.
 */
export async function answerLines(
  { input, out }: CommandContext,
  answer: (asked: unknown) => object | LineProblem,
): Promise<Report> {
  let ok = true;
  let number = 0;
  for await (const raw of createInterface({ input, crlfDelay: Infinity })) {
    number += 1;
    if (raw.trim() === '') continue;
    const { id, asked } = readObject(raw);
    const result = answer(asked);
    const isWrong = 'error' in result;
    if (isWrong) ok = false;
    const head = { ...(id === undefined ? {} : { id }), ...(isWrong ? { line: number } : {}) };
    out(`${JSON.stringify({ ...head, ...result })}\n`);
  }
  return { ok, data: null, lines: [] };
}

/** Returns what has the form. */
export function answerAs<T>(form: LineForm<T>, asked: unknown, answer: (given: T) => object): object | LineProblem {
  if (asked === undefined) return { error: `This is no JSON. Write one object per line, such as ${form.example}.` };
  const parsed = form.schema.safeParse(asked);
  return parsed.success ? answer(parsed.data) : { error: `${describeIssues(parsed.error)}. Write ${form.example}.` };
}

/** What is wrong with something that was asked. */
export function describeIssues({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => `${path.join('.') || 'the line'}: ${message}`).join('; ');
}

/** Reads a text as JSON; what is an object is asked without its `id`. */
export function readObject(text: string): { readonly id?: unknown; readonly asked: unknown } {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { asked: value };
  const { id, ...asked } = value as Record<string, unknown>; // an object, by the line above
  return { id, asked };
}
