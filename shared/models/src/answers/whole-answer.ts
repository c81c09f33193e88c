import { AIMessage, type AIMessageChunk } from '@langchain/core/messages';
import { parseJson } from '@signalbox/contracts/system-error';
import { isNormalFinish } from '../providers/provider.ts';
import { readReasoning, toReasoningExtras } from './reasoning.ts';
import { extractVisibleText, type VisibleText } from './said-text.ts';
import { readArguments, type RawToolCall } from './sent-calls.ts';
import type { ModelRequest } from '../port.ts';

/**
 * Turns a streamed answer into the answer to store. Either all of its calls run or none: when one call is cut, the others may depend on
 * it.
 */

/** Keys of two extras of an answer: the text lacks its end; a call was written as text. */
const UNFINISHED = 'unfinished';
const WRITTEN_CALL = 'writtenCall';

/** True when the text or object of an answer lacks its end. */
export function isTruncatedAnswer({ additional_kwargs: extras }: Pick<AIMessage, 'additional_kwargs'>): boolean {
  return extras[UNFINISHED] === true;
}

/** True when an answer has neither text nor calls, or only a call written as text, which nobody runs. */
export function isEmptyAnswer(answer: AIMessage): boolean {
  if ((answer.tool_calls ?? []).length + (answer.invalid_tool_calls ?? []).length > 0) return false;
  return answer.text.trim() === '' || answer.additional_kwargs[WRITTEN_CALL] === true;
}

/**
 * Creates the answer without thoughts and without calls written as text. Calls that must not run become invalid calls with a reason for
 * the model. Pure.
 */
export function cleanAnswer(
  answer: AIMessageChunk,
  sent: readonly RawToolCall[],
  given: { readonly end: string; readonly request: ModelRequest; readonly kept: Record<string, unknown> },
): AIMessage {
  const { end, request, kept } = given;
  const isCut = !isNormalFinish(end);
  const { draft, object } = request;
  // Strings of an object may contain text that looks like tags of thoughts.
  const isObject = object !== null && parseJson(answer.text) !== undefined;
  const said = isObject ? toPlainText(answer.text) : extractVisibleText(answer.text);
  const isCall = isWrittenCall(said.text, request);
  const hasCall = said.hasCall || isCall;
  const text = isCall ? '' : said.text;
  const calls = object === null ? readCalls(sent, isCut ? end : null) : readClientCalls(answer, isCut ? end : null);
  const hasCalls = calls.valid.length + calls.invalid.length > 0;
  const isOpen = (isCut || said.isOpen) && !hasCalls && text.trim() !== '';
  return new AIMessage({
    ...(answer.id ? { id: answer.id } : {}),
    content: text,
    tool_calls: calls.valid.map(({ name, args }, place) => ({
      type: 'tool_call',
      id: `call_${place}`,
      name,
      args: draft?.tool === name ? cleanMessageField(args, draft.field) : args,
    })),
    invalid_tool_calls: calls.invalid.map((call) => ({ type: 'invalid_tool_call', ...call })),
    additional_kwargs: {
      ...kept,
      ...toReasoningExtras(readReasoning(answer) ?? said.thought),
      ...((object === null ? isOpen : isCut) ? { [UNFINISHED]: true } : {}),
      ...(hasCall && !hasCalls ? { [WRITTEN_CALL]: true } : {}),
    },
  });
}

function toPlainText(text: string): VisibleText {
  return { text, thought: '', hasCall: false, isOpen: false };
}

interface Calls {
  readonly valid: readonly { readonly name: string; readonly args: Record<string, unknown> }[];
  readonly invalid: readonly { readonly name: string; readonly args: string; readonly error: string }[];
}

const CUT = (end: string): string =>
  `your answer was cut off before it was complete (${end.slice(0, 60)}), so no call of it was carried out. Make each call again, whole; shorter where it was too long`;
const BESIDE_CUT = 'no call of the same answer was carried out: make this one again as well';
const BROKEN = (args: string): string =>
  `they are no whole JSON object: ${args.slice(0, 500)}. No call of this answer was carried out: make each call again`;
const BESIDE_BROKEN =
  'another call of the same answer was not whole, so no call of it was carried out: make each call again';

/** Reads an answer's calls. `cut`: the end reason when the answer was cut off. */
function readCalls(sent: readonly RawToolCall[], cut: string | null): Calls {
  const read = sent.map(({ name, args }) => ({ name, args: readArguments(args), given: args }));
  const isWhole = cut === null && read.every(({ name, args }) => args !== null && name !== '');
  if (isWhole) return { valid: read.map(({ name, args }) => ({ name, args: args ?? {} })), invalid: [] };
  const explain = (args: unknown, given: string, place: number): string => {
    if (cut !== null) return place === 0 ? CUT(cut) : BESIDE_CUT;
    return args === null ? BROKEN(given) : BESIDE_BROKEN;
  };
  return {
    valid: [],
    invalid: read.map(({ name, args, given }, place) => ({
      name: name || 'unnamed',
      args: given,
      error: explain(args, given, place),
    })),
  };
}

/** Reads the call that returns an object, which arrives in one piece, parsed by the client. */
function readClientCalls(
  { tool_calls: calls = [], invalid_tool_calls: broken = [] }: AIMessageChunk,
  cut: string | null,
): Calls {
  const invalid = broken.map(({ name = '', args = '', error = '' }) => ({ name, args, error }));
  if (cut === null) return { valid: calls, invalid };
  return {
    valid: [],
    invalid: [...invalid, ...calls.map(({ name, args }) => ({ name, args: JSON.stringify(args), error: CUT(cut) }))],
  };
}

/** True when a text is nothing but a tool call in the form that small models write. */
function isWrittenCall(text: string, { tools }: Pick<ModelRequest, 'tools'>): boolean {
  const plain = text.trim().replace(/^```(?:json)?\s*|\s*```$/g, '');
  if (!/^[[{]/.test(plain)) return false;
  const parsed: unknown = parseJson(plain);
  const calls: readonly unknown[] = Array.isArray(parsed) ? parsed : [parsed];
  const names = new Set(tools.map(({ name }) => name));
  return calls.length > 0 && calls.every((call) => isCallOf(call, names));
}

function isCallOf(call: unknown, names: ReadonlySet<string>): boolean {
  if (typeof call !== 'object' || call === null) return false;
  const { name, tool, function: called, ...rest } = call as Readonly<Record<string, unknown>>; // JSON.parse gave an object
  if (typeof called === 'object') return isCallOf(called, names);
  const isNamed = [name, tool, called].some((value) => typeof value === 'string' && names.has(value));
  return isNamed && ['arguments', 'parameters', 'args', 'input'].some((field) => field in rest);
}

/** Removes thoughts and calls written as text from the message argument of a call. */
function cleanMessageField(args: Record<string, unknown>, field: string): Record<string, unknown> {
  const message = args[field];
  return typeof message === 'string' ? { ...args, [field]: extractVisibleText(message).text } : args;
}
