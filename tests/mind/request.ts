import { countTokens as count } from 'gpt-tokenizer/encoding/o200k_base';
import { z } from 'zod';

const Message = z.looseObject({
  role: z.string(),
  content: z.unknown(),
  tool_call_id: z.string().optional(),
  tool_calls: z
    .array(z.looseObject({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) }))
    .default([]),
});
type Message = z.infer<typeof Message>;
const Body = z.looseObject({
  messages: z.array(Message).default([]),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })).default([]),
});
/** The parts that count, as they were sent. */
const Sent = z.object({
  messages: z.array(z.looseObject({ role: z.string() })).default([]),
  tools: z.array(z.unknown()).default([]),
});
const Forced = z.object({ tool_choice: z.object({ function: z.object({ name: z.string() }) }) });
const TextParts = z.array(z.strictObject({ type: z.literal('text'), text: z.string() }));

/** A request to the model as it was sent. */
export interface SeatRequest {
  readonly n: number;
  readonly body: z.infer<typeof Body>;
  /** What a provider caches by its beginning: the tools, then the messages. */
  readonly cached: string;
  /** By part, in o200k tokens of the JSON. */
  readonly tokens: Readonly<Record<'system' | 'tools' | 'conversation' | 'total', number>>;
  /** The form that has to be filled in, such as `verdict`; null where the model may choose. */
  readonly form: string | null;
}

/** Counts o200k tokens; what looks like a special token counts as the text that it is. */
export function countTokens(text: string): number {
  return count(text, { disallowedSpecial: new Set() });
}

/** Reads a request's body. Throws when it is no chat completion. */
export function readRequest(n: number, text: string): SeatRequest {
  const sent: unknown = JSON.parse(text);
  const { messages, tools } = Sent.parse(sent);
  const isSystem = ({ role }: (typeof messages)[number]): boolean => role === 'system' || role === 'developer';
  const cached = `${JSON.stringify(tools)}${JSON.stringify(messages)}`;
  const total = countTokens(cached);
  const parts = {
    system: countTokens(JSON.stringify(messages.filter(isSystem))),
    tools: countTokens(JSON.stringify(tools)),
  };
  const tokens = { ...parts, conversation: total - parts.system - parts.tools, total };
  return {
    n,
    body: Body.parse(sent),
    cached,
    tokens,
    form: Forced.safeParse(sent).data?.tool_choice.function.name ?? null,
  };
}

/** Writes what is new in a request against the most similar one before it, without a loss: equal parts are named and left out. */
export function describeRequest(request: SeatRequest, earlier: readonly SeatRequest[]): string {
  const before = findBefore(request, earlier);
  const { messages, tools, ...rest } = request.body;
  const old = before?.body.messages ?? [];
  const isSame = messages.map((message, i) => isEqual(message, old[i]));
  const lines = [`=== request ${request.n}: ${JSON.stringify(rest)}`];
  for (const [i, message] of messages.entries()) {
    if (!isSame[i]) lines.push(`--- ${i + 1} ${describeMessage(message, old[i], before?.n ?? 0)}`);
    // Equal neighbors are named together, where the last of them stands.
    const first = isSame.lastIndexOf(false, i) + 1;
    const range = first === i ? `${i + 1}` : `${first + 1} to ${i + 1}`;
    if (isSame[i] && !isSame[i + 1]) lines.push(`--- ${range} as in request ${before?.n}`);
  }
  const [names, oldNames] = [listTools(request), before && listTools(before)];
  lines.push(`--- tools: ${names === oldNames ? `the ${tools.length} of request ${before?.n}` : names}`);
  const known = new Set(earlier.flatMap(({ body }) => body.tools.map((tool) => JSON.stringify(tool))));
  for (const tool of tools)
    if (!known.has(JSON.stringify(tool))) lines.push(`tool ${tool.function.name}: ${JSON.stringify(tool.function)}`);
  return `${lines.join('\n')}\n`;
}

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function listTools({ body }: SeatRequest): string {
  return body.tools.map((tool) => tool.function.name).join(' ');
}

/** The newest of the last twelve with the most equal messages in the same places: conversations of several people run at once. */
function findBefore({ body: { messages } }: SeatRequest, earlier: readonly SeatRequest[]): SeatRequest | null {
  const scoreOf = ({ body }: SeatRequest): number => messages.filter((one, i) => isEqual(one, body.messages[i])).length;
  const recent = earlier.slice(-12).map((request) => ({ request, score: scoreOf(request) }));
  const most = Math.max(...recent.map(({ score }) => score));
  return recent.findLast(({ score }) => score === most)?.request ?? null;
}

function describeMessage(message: Message, old: Message | undefined, n: number): string {
  const { role, content, tool_calls: calls, ...rest } = message;
  const proposed = calls.map(({ id, function: { name, arguments: args } }) => `\ncalls ${id} ${name} ${args}`);
  const told = old?.role === role ? foldLines(toText(content), toText(old.content), n) : toText(content);
  const more = Object.keys(rest).length === 0 ? '' : ` ${JSON.stringify(rest)}`;
  return `${role}${more}\n${told}${proposed.join('')}`;
}

function toText(content: unknown): string {
  if (typeof content === 'string') return content;
  return (
    TextParts.safeParse(content)
      .data?.map(({ text }) => text)
      .join('\n~~~\n') ?? JSON.stringify(content ?? null)
  );
}

/** Names the lines at both ends that are as before; few lines are shown all the same. */
function foldLines(text: string, before: string, n: number): string {
  const [lines, old] = [text.split('\n'), before.split('\n')];
  const countSame = (some: readonly string[], other: readonly string[]): number => {
    const first = some.findIndex((line, i) => line !== other[i]);
    return first === -1 ? some.length : first;
  };
  const fold = (some: readonly string[]) => (some.length < 4 ? some : [`(${some.length} lines as in request ${n})`]);
  const start = countSame(lines, old);
  const end = lines.length - countSame(lines.slice(start).toReversed(), old.slice(start).toReversed());
  return [...fold(lines.slice(0, start)), ...lines.slice(start, end), ...fold(lines.slice(end))].join('\n');
}
