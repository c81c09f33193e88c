import { AIMessage, type AIMessageChunk } from '@langchain/core/messages';
import { parseJson } from '@signalbox/contracts/system-error';
import { isComplete } from './providers/provider.ts';
import { readReasoning, reasoningExtras } from './reasoning.ts';
import { readSaid, type SaidText } from './said-text.ts';
import { readArguments, type SentCall } from './sent-calls.ts';
import type { ModelRequest } from './port.ts';

/*
 * What is made of an answer. Its calls are carried out whole or not at all: with one of them cut, nobody knows what the others were to
 * go with, and a deployment must not run without the variable that was to be set before it.
 */

/** Where an answer says that its text lacks its end, and that a call was written as text. */
const UNFINISHED = 'unfinished';
const WRITTEN_CALL = 'writtenCall';

/** Whether the text or the object of an answer lacks its end. */
export function isUnfinished({ additional_kwargs: extras }: Pick<AIMessage, 'additional_kwargs'>): boolean {
  return extras[UNFINISHED] === true;
}

/** Whether an answer holds nothing to say and nothing to do: no text and no call, or a call as text, which nobody carries out. */
export function isHollow(answer: AIMessage): boolean {
  if ((answer.tool_calls ?? []).length + (answer.invalid_tool_calls ?? []).length > 0) return false;
  return answer.text.trim() === '' || answer.additional_kwargs[WRITTEN_CALL] === true;
}

/** An answer without what only looks like one. Calls that must not run are invalid, each with the reason for its model. Pure. */
export function toAnswer(
  answer: AIMessageChunk,
  sent: readonly SentCall[],
  {
    end,
    request,
    kept,
  }: { readonly end: string; readonly request: ModelRequest; readonly kept: Record<string, unknown> },
): AIMessage {
  const isCut = !isComplete(end);
  const { draft, object } = request;
  // An object may hold marks in its strings.
  const isObject = object !== null && parseJson(answer.text) !== undefined;
  const said = isObject ? plainly(answer.text) : readSaid(answer.text);
  const isCall = isWrittenCall(said.text, request);
  const hasCall = said.hasCall || isCall;
  const text = isCall ? '' : said.text;
  const calls = object === null ? readCalls(sent, isCut ? end : null) : clientCalls(answer, isCut ? end : null);
  const hasCalls = calls.valid.length + calls.invalid.length > 0;
  const isOpen = (isCut || said.isOpen) && !hasCalls && text.trim() !== '';
  return new AIMessage({
    ...(answer.id ? { id: answer.id } : {}),
    content: text,
    tool_calls: calls.valid.map(({ name, args }, place) => ({
      type: 'tool_call',
      id: `call_${place}`,
      name,
      args: draft?.tool === name ? withSaidField(args, draft.field) : args,
    })),
    invalid_tool_calls: calls.invalid.map((call) => ({ type: 'invalid_tool_call', ...call })),
    additional_kwargs: {
      ...kept,
      ...reasoningExtras(readReasoning(answer) ?? said.thought),
      ...((object === null ? isOpen : isCut) ? { [UNFINISHED]: true } : {}),
      ...(hasCall && !hasCalls ? { [WRITTEN_CALL]: true } : {}),
    },
  });
}

function plainly(text: string): SaidText {
  return { text, thought: '', hasCall: false, isOpen: false };
}

interface Calls {
  readonly valid: readonly { readonly name: string; readonly args: Record<string, unknown> }[];
  readonly invalid: readonly { readonly name: string; readonly args: string; readonly error: string }[];
}

const CUT = (end: string): string =>
  `your answer was cut off before it was complete (${end.slice(0, 60)}), so no call of it was carried out. Make each call again, whole; shorter where it was too long`;
const BROKEN = (args: string): string =>
  `they are no whole JSON object: ${args.slice(0, 500)}. No call of this answer was carried out: make each call again`;
const BESIDE_BROKEN =
  'another call of the same answer was not whole, so no call of it was carried out: make each call again';

/** `cut`: the server's word for an end before the end. */
function readCalls(sent: readonly SentCall[], cut: string | null): Calls {
  const read = sent.map(({ name, args }) => ({ name, args: readArguments(args), given: args }));
  const isWhole = cut === null && read.every(({ name, args }) => args !== null && name !== '');
  if (isWhole) return { valid: read.map(({ name, args }) => ({ name, args: args ?? {} })), invalid: [] };
  const whyNot = (args: unknown, given: string): string => (args === null ? BROKEN(given) : BESIDE_BROKEN);
  return {
    valid: [],
    invalid: read.map(({ name, args, given }) => ({
      name: name || 'unnamed',
      args: given,
      error: cut === null ? whyNot(args, given) : CUT(cut),
    })),
  };
}

/** The call that gives an object: it comes in one piece, and clients read those as they were sent. */
function clientCalls(
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

/** Whether a text is nothing but a call of one of the tools as small models write them. */
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
  const { name, tool, function: called, ...rest } = call as Readonly<Record<string, unknown>>; // an object of JSON
  if (typeof called === 'object') return isCallOf(called, names);
  const isNamed = [name, tool, called].some((one) => typeof one === 'string' && names.has(one));
  return isNamed && ['arguments', 'parameters', 'args', 'input'].some((field) => field in rest);
}

/** The message to a person inside a call, without what the model does not say to anybody. */
function withSaidField(args: Record<string, unknown>, field: string): Record<string, unknown> {
  const message = args[field];
  return typeof message === 'string' ? { ...args, [field]: readSaid(message).text } : args;
}
