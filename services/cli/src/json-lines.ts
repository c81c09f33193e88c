import { createInterface } from 'node:readline';
import { parseJson } from '@signalbox/contracts/system-error';
import type { z } from 'zod';
import type { CommandContext, CommandResult } from './command.ts';

export interface LineProblem {
  readonly error: string;
}

/** The expected form of a line; other fields are ignored. */
export interface LineForm<T> {
  readonly schema: z.ZodType<T>;
  readonly example: string;
}

/** Answers JSON lines of standard input in order. An `id` is returned with the answer. Not ok when a line had a problem. */
export async function answerLines(
  { input, out }: CommandContext,
  answer: (asked: unknown) => object | LineProblem,
): Promise<CommandResult> {
  let ok = true;
  let number = 0;
  for await (const raw of createInterface({ input, crlfDelay: Infinity })) {
    number += 1;
    if (raw.trim() === '') continue;
    const { id, asked } = parseRequestLine(raw);
    const result = answer(asked);
    const isWrong = 'error' in result;
    if (isWrong) ok = false;
    const head = { ...(id === undefined ? {} : { id }), ...(isWrong ? { line: number } : {}) };
    out(`${JSON.stringify({ ...head, ...result })}\n`);
  }
  return { ok, data: null, lines: [] };
}

/** Answers input of the given form; otherwise returns the problem. */
export function answerValidLine<T>(
  form: LineForm<T>,
  asked: unknown,
  answer: (given: T) => object,
): object | LineProblem {
  if (asked === undefined) return { error: `This is no JSON. Write one object per line, such as ${form.example}.` };
  const parsed = form.schema.safeParse(asked);
  return parsed.success ? answer(parsed.data) : { error: `${describeIssues(parsed.error)}. Write ${form.example}.` };
}

export function describeIssues({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => `${path.join('.') || 'the line'}: ${message}`).join('; ');
}

/** Parses JSON; objects are returned without their `id`. */
export function parseRequestLine(text: string): { readonly id?: unknown; readonly asked: unknown } {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { asked: value };
  const { id, ...asked } = value as Record<string, unknown>; // `typeof` was checked above.
  return { id, asked };
}
