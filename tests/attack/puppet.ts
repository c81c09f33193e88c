import { promptOf, startModelServer, type AskedMessage, type ModelAnswer } from '../support/model-server.ts';
import { readInstructions, type Instruction } from './encodings.ts';
import { GROUP_OF } from './tool-groups.ts';

export interface Call {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What a person says, and what an honest model does about it. */
export interface Turn {
  readonly say: string;
  readonly calls: readonly Call[];
  /** What the honest model answers in the end. */
  readonly answer?: string;
}

/** How the puppet behaves for one person. */
export interface Part {
  readonly turns: readonly Turn[];
  /** It obeys only after this many results in the conversation: 0 is at the first opportunity. */
  readonly patience: number;
  /** It obeys from this turn on. */
  readonly fromTurn: number;
}

/** A model that does what the text it reads says, and its honest task else. */
export interface Puppet {
  readonly url: string;
  play(person: string, part: Part): void;
  /** An instruction in words that only a model understands, such as a name. Words of a person count only as a whole message. */
  learn(words: string, instruction: Instruction, where: 'anywhere' | 'person'): void;
  /** What was found in texts shown to the model, and what was proposed because of it. */
  found(person: string): boolean;
  proposed(person: string): boolean;
  close(): Promise<void>;
}

/** Calls of one answer: a model may propose several. */
const AT_ONCE = 8;

/** Starts it as a server of its own, spoken to as any provider is. */
export async function startPuppet(reader?: (question: string) => ModelAnswer): Promise<Puppet> {
  const parts = new Map<string, Part>();
  const words = new Map<string, { readonly instruction: Instruction; readonly where: 'anywhere' | 'person' }>();
  const found = new Set<string>();
  const proposed = new Set<string>();

  const visible = (person: string, messages: readonly AskedMessage[]): readonly Instruction[] => {
    const texts = messages.filter(({ role }) => role !== 'assistant').flatMap(({ content }) => collectTexts(content));
    const said = messages.filter(({ role }) => role === 'user').map(({ content }) => content.trim());
    const meant = [...words].filter(([phrase, { where, instruction }]) => {
      if (instruction.person !== person) return false;
      return where === 'anywhere' ? texts.some((text) => text.includes(phrase)) : said.includes(phrase);
    });
    // What the person seems to have said goes before what was read.
    const all = [...meant.map(([, { instruction }]) => instruction), ...readInstructions(texts)];
    return all.filter((one) => one.person === person);
  };

  const server = await startModelServer(
    (messages, tools) => {
      const person = /The person is (\S+) \(role/.exec(promptOf(messages))?.[1] ?? '';
      const part = parts.get(person) ?? { turns: [], patience: 0, fromTurn: 0 };
      if (tools.includes('classify_intent')) {
        const capabilities = [...new Set(part.turns.flatMap(({ calls }) => calls.map(groupOf)))].filter(
          (one) => one !== '',
        );
        return {
          toolCalls: [{ name: 'classify_intent', args: { task_summary: 'work', capabilities, project: null } }],
        };
      }
      const start = messages.findLastIndex(({ role }) => role === 'user');
      const said = messages[start]?.content ?? '';
      const at = part.turns.findLastIndex(({ say }) => said.includes(say));
      const since = messages.slice(start).flatMap(({ calls = [] }) => calls);
      const isMade = (call: Call): boolean => since.some((one) => same(one, call));
      const instructions = visible(person, messages);
      if (instructions.length > 0) found.add(person);
      const isReady =
        messages.filter(({ role }) => role === 'tool').length >= part.patience && (at === -1 || at >= part.fromTurn);
      const order = isReady ? instructions.find((one) => !isMade(one)) : undefined;
      if (order) {
        const load = loading(order, tools, since);
        if (load) return load;
        if (order.tool !== 'respond_to_user') proposed.add(person);
        return { toolCalls: [{ name: order.tool, args: order.args }] };
      }
      const turn = part.turns[at];
      const next = turn === undefined ? [] : remaining(turn.calls, since).slice(0, AT_ONCE);
      const [first] = next;
      if (first) {
        const together = next.every(({ tool }) => tool === first.tool) ? next : [first];
        return loading(first, tools, since) ?? { toolCalls: together.map(({ tool, args }) => ({ name: tool, args })) };
      }
      // Who has read an order needs no further rows, and many of them would push it out of the next turn.
      const page = instructions.length === 0 ? nextPage(messages.slice(start)) : undefined;
      if (page) return { toolCalls: [{ name: page.tool, args: page.args }] };
      return { content: turn?.answer ?? 'That is all.' };
    },
    reader ? { reader } : {},
  );
  return {
    url: server.url,
    play: (person, part) => void parts.set(person, part),
    learn: (phrase, instruction, where) => void words.set(phrase, { instruction, where }),
    found: (person) => found.has(person),
    proposed: (person) => proposed.has(person),
    close: () => server.close(),
  };
}

/** Asks for the group of a tool that is not loaded, once. */
function loading(call: Call, tools: readonly string[], since: readonly unknown[]): ModelAnswer | null {
  const group = groupOf(call);
  const request = { tool: 'request_capabilities', args: { capabilities: [group], reason: 'It takes that.' } };
  if (group === '' || tools.includes(call.tool) || since.some((one) => same(one as Made, request))) return null;
  return { toolCalls: [{ name: request.tool, args: request.args }] };
}

/** Reads on in results that were cut: one that lacks its first rows is read from its beginning, so that its rows come in order. */
function nextPage(since: readonly AskedMessage[]): Call | undefined {
  const read = (handle: unknown, from: number): Call => ({ tool: 'read_result', args: { handle, from } });
  const made = since.flatMap(({ calls = [] }, at) =>
    calls.map((call, nth) => ({ call, told: readTold(since[at + 1 + nth]?.content ?? '') })),
  );
  const wanted = made.flatMap(({ call, told: { more, result } }) => [
    ...(more ?? []).map(({ rows, handle }) => {
      const [, from, to] = /^(\d+) to (\d+) of/.exec(rows) ?? [];
      return read(handle, from === '1' ? Number(to) + 1 : 1);
    }),
    ...(result?.next_from === undefined ? [] : [read((call.args as Call['args'])['handle'], result.next_from)]),
  ]);
  return wanted.find((page) => !made.some(({ call }) => same(call, page)));
}

interface Told {
  readonly more?: readonly { readonly rows: string; readonly handle: string }[];
  readonly result?: { readonly next_from?: number } | null;
}

function readTold(text: string): Told {
  return text.startsWith('{') ? (JSON.parse(text) as Told) : {}; // as results are written
}

type Made = NonNullable<AskedMessage['calls']>[number];

function groupOf({ tool }: Call): string {
  return GROUP_OF[tool] ?? '';
}

/** The calls of a script that have not been made yet; one that stands there twice is made twice. */
function remaining(calls: readonly Call[], made: readonly Made[]): readonly Call[] {
  const left = [...made];
  return calls.filter((call) => {
    const at = left.findIndex((one) => same(one, call));
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}

function same(one: Made | { readonly tool: string; readonly args: unknown }, call: Call): boolean {
  const name = 'name' in one ? one.name : one.tool;
  return name === call.tool && JSON.stringify(one.args) === JSON.stringify(call.args);
}

/** A text and all texts inside of it: results are JSON, and so may be what stands in them. */
function collectTexts(text: string): readonly string[] {
  const leaves = (value: unknown): readonly string[] => {
    if (typeof value === 'string') return collectTexts(value);
    if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(leaves);
    return [];
  };
  if (!/^\s*[{["]/.test(text)) return [text];
  try {
    return leaves(JSON.parse(text));
  } catch {
    return [text];
  }
}
