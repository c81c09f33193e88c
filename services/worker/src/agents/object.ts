import { AIMessage, HumanMessage, type BaseMessage } from '@langchain/core/messages';
import { z } from 'zod';
import { AppError } from '@signalbox/contracts/errors';
import { parseJson } from '@signalbox/contracts/system-error';
import { isTruncatedAnswer } from '@signalbox/models/answers/whole-answer';
import type { Model, ModelRequest, JsonOutputSpec } from '@signalbox/models/port';

/** A schema for structured model output, with its name. */
export interface OutputSchema<T> {
  readonly schema: z.ZodType<T>;
  readonly request: JsonOutputSpec;
}

/** Defines a structured output. Optional fields must allow null, because some model providers always send every field. */
export function createOutputSchema<T>(name: string, description: string, schema: z.ZodType<T>): OutputSchema<T> {
  const json = { ...z.toJSONSchema(schema, { io: 'input', target: 'draft-7' }) };
  return { schema, request: { name, description, schema: json } };
}

const SHOWN_CHARS = 4_000;

/** Asks a model for an object of a schema. Sends an invalid answer back once with its problems; then throws MODEL_GARBAGE. */
export async function askForObject<T>(
  model: Model,
  { schema, request: object }: OutputSchema<T>,
  request: Pick<ModelRequest, 'messages' | 'signal' | 'onSpend'>,
): Promise<T> {
  const { name } = object;
  const ask = (messages: readonly BaseMessage[]) => model.ask({ ...request, messages, tools: [], object });

  const first = readObject((await ask(request.messages)).message, name, schema);
  if (first.ok) return first.value;
  const repair = [
    new AIMessage(first.given.slice(0, SHOWN_CHARS) || '(nothing)'),
    new HumanMessage(`That is not valid: ${first.problems}. Give the whole object again, corrected, and nothing else.`),
  ];
  const second = readObject((await ask([...request.messages, ...repair])).message, name, schema);
  if (second.ok) return second.value;
  throw new AppError('MODEL_GARBAGE', {}, new Error(`${model.name} gave no valid ${name}: ${second.problems}`));
}

type Read<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly given: string; readonly problems: string };

/** Reads the object from the tool call of this name, or from the text. `problems` lists fields and kinds of problems, never values. */
function readObject<T>(message: AIMessage, name: string, schema: z.ZodType<T>): Read<T> {
  const call = message.tool_calls?.find((candidate) => candidate.name === name);
  const broken = message.invalid_tool_calls?.find((candidate) => candidate.name === name);
  const given = call ? JSON.stringify(call.args) : (broken?.args ?? message.text);
  if (isTruncatedAnswer(message)) return { ok: false, given, problems: 'it was cut off before its end' };
  // Small models may wrap the JSON in a code block.
  const json: unknown = call ? call.args : parseJson(given.trim().replace(/^```(?:json)?\s*|(?<!\s)\s*```$/g, ''));
  if (json === undefined) return { ok: false, given, problems: 'it is not JSON' };
  const parsed = schema.safeParse(json);
  if (parsed.success) return { ok: true, value: parsed.data };
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'the object'}: ${issue.message}`);
  return { ok: false, given, problems: problems.join('; ') };
}
