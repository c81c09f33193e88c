import { AIMessage, HumanMessage, SystemMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import catalog from './catalog.fixture.json' with { type: 'json' };
import { findProblem, readFields } from './slots/schema.ts';
import { planNextMessage } from './plan.ts';

const base = ['respond_to_user', 'search_knowledge', 'request_capabilities', 'finish_task'];
const all = catalog.groups.flatMap((group) => group.tools);
const tools = [
  ...base.map((name) => ({ name, description: '', schema: {} })),
  ...catalog.groups
    .filter(({ installed }) => installed)
    .flatMap((group) => group.tools)
    .map(({ name, describe: description, schema }) => ({ name, description, schema })),
];
const KNOWN = { project: ['shop', 'blog', 'constructor', '__proto__'], server: ['web-1', 'toString'] };
const system = (facts: unknown): SystemMessage => new SystemMessage({ content: '', additional_kwargs: { facts } });
const human = (content: string, id = 'h1'): HumanMessage => new HumanMessage({ content, id });
const next = (messages: readonly BaseMessage[]) =>
  planNextMessage({
    messages: [system({ known: KNOWN, activeGroups: [], currentProject: null }), ...messages],
    tools,
    catalog,
  });

describe('the offline planner, given an odd text,', () => {
  it.each([
    ['nothing', ''],
    ['spaces', ' \n\t '],
    ['invisible characters', '\u200b\u202e\u2066'],
    ['emoji', '🔥🔥🔥 🧑‍💻'],
    ['right-to-left text', 'مرحبا، أرني الخوادم'],
    ['punctuation', '???!!!...'],
    ['control characters', '\u0000\u0007'],
    ['a lone surrogate', '\ud83d'],
    ['words of prototypes', '__proto__ constructor hasOwnProperty toString valueOf'],
    ['regular expressions', '(a+)+$ [[[ \\ (?<x>'],
    ['placeholders of ours', '¤project §list ¤any'],
    ['JSON', '{"tool":"release_port","args":{"port":1}}'],
  ])('answers a message of %s', (_, text) => {
    const { content, toolCalls } = next([human(text)]);
    expect(content !== '' || toolCalls.length > 0).toBe(true);
  });

  it('ignores emoji and direction marks around a request', () => {
    expect(next([human('🙏 \u202elist the servers\u202c 🚀')]).toolCalls[0]?.name).toBe('list_managed_servers');
  });

  it('finds names that equal properties of JavaScript objects, such as “constructor”', () => {
    expect(next([human('status of constructor')]).toolCalls[0]?.args).toEqual({ project: 'constructor' });
    expect(next([human('next free port on toString')]).toolCalls[0]?.args).toEqual({ server: 'toString' });
  });

  // Compares two times of the same run, because the machine may be slow or busy.
  it.each<[string, (length: number) => string]>([
    ['words', (length) => 'lorem ipsum dolor '.repeat(length / 18)],
    ['one letter', (length) => 'a'.repeat(length)],
    ['digits and dots', (length) => '1.'.repeat(length / 2)],
    ['words of purpose', (length) => `create a project called x${' for about that which'.repeat(length / 21)}`],
    ['addresses', (length) => 'https://'.repeat(length / 8)],
    ['quotes', (length) => '"a '.repeat(length / 3)],
    ['a request', (length) => `list the servers ${'x '.repeat(length / 2)}`],
  ])('answers a long message of %s in time proportional to its length', (_, make) => {
    next([human('list the servers')]);
    const [short, long] = [make(2_500), make(10_000)];
    const cpuMs = (text: string): number => {
      const times = Array.from({ length: 4 }, () => {
        const before = process.cpuUsage();
        next([human(text)]);
        const { user, system: kernel } = process.cpuUsage(before);
        return (user + kernel) / 1_000;
      });
      return Math.min(...times);
    };
    // Four times the text takes 4 times as long when linear, 16 times when quadratic. Times below 1 ms are too inexact.
    expect(cpuMs(long) / Math.max(cpuMs(short), 1)).toBeLessThan(10);
  });
});

describe('the offline planner, given an odd conversation,', () => {
  it.each<[string, BaseMessage[]]>([
    ['nothing', []],
    ['no human message', [new AIMessage('hello')]],
    [
      'a tool result without a call',
      [human('list the servers'), new ToolMessage({ content: 'x', tool_call_id: 'gone' })],
    ],
    ['human messages without ids', [new HumanMessage('hello'), new HumanMessage('list the servers')]],
    ['two messages of one id', [human('hello'), human('list the servers')]],
    [
      'marks of another shape',
      [
        human('hello', 'a'),
        new AIMessage({ content: 'x', additional_kwargs: { planner: { for: 7 } } }),
        human('hi', 'b'),
      ],
    ],
    [
      'a mark for nobody',
      [new AIMessage({ content: '', additional_kwargs: { planner: { for: 'zz', done: false } } }), human('hi')],
    ],
    ['content in blocks', [new HumanMessage({ id: 'h1', content: [{ type: 'text', text: 'list the servers' }] })]],
    ['a result that is no JSON', callOf('list the servers', 'not json')],
    ['a result of null', callOf('list the servers', 'null')],
    ['an empty result', callOf('list the servers', '')],
  ])('answers when the history has %s', (_, messages) => {
    const { content, toolCalls } = next(messages);
    expect(content !== '' || toolCalls.length > 0).toBe(true);
  });

  it.each([
    undefined,
    null,
    7,
    'x',
    [],
    { known: 7 },
    { known: { project: 'shop' } },
    { activeGroups: null, known: { project: [1] } },
  ])('answers without the facts in its system message when they are malformed: %j', (planner) => {
    const planned = planNextMessage({ messages: [system(planner), human('list the servers')], tools, catalog });
    expect(planned.toolCalls[0]?.name).toBe('list_managed_servers');
  });

  it('does not answer again a message that another model has answered', () => {
    expect(
      next([human('list the servers', 'a'), new AIMessage('Here they are.'), human('list the projects', 'b')])
        .toolCalls[0]?.name,
    ).toBe('list_projects');
  });

  it('stops after six steps for one message', () => {
    const step = (at: number) => [
      new AIMessage({
        content: '',
        tool_calls: [{ id: `c${at}`, name: 'request_capabilities', args: {} }],
        additional_kwargs: { planner: { for: 'h1', done: false } },
      }),
      new ToolMessage({ tool_call_id: `c${at}`, content: '{"ok":true}' }),
    ];
    const planned = next([human('list the servers'), ...[1, 2, 3, 4, 5, 6].flatMap(step)]);
    expect(planned).toMatchObject({ toolCalls: [], content: expect.stringContaining('I stopped') as string });
  });
});

/** Lists what the schema of the called tool finds wrong with the arguments. */
function problemsOf(call: { readonly name: string; readonly args: Record<string, unknown> }): readonly string[] {
  return readFields(all.find(({ name }) => name === call.name)?.schema).flatMap((field) => {
    if (!Object.hasOwn(call.args, field.name)) return field.required ? [`${field.name} is missing`] : [];
    return findProblem(field, call.args[field.name]) ?? [];
  });
}

function callOf(text: string, result: string): BaseMessage[] {
  const planned = next([human(text)]);
  const calls = planned.toolCalls.map((call) => ({ ...call, type: 'tool_call' as const }));
  const answer = new AIMessage({ content: '', tool_calls: calls, additional_kwargs: planned.kwargs });
  return [human(text), answer, new ToolMessage({ tool_call_id: calls[0]?.id ?? '', content: result })];
}

describe('the offline planner, given a random conversation,', () => {
  const words = [
    ...new Set(all.flatMap((tool) => tool.hints.flatMap((hint) => hint.split(' ')))),
    'thanks',
    'no',
    '2',
    'web-1',
    'shop',
    '"x"',
    '4 GB',
    'port',
    '99999',
    'called',
    'for',
    ':',
    "don't",
    'and',
    '?',
  ];
  const number = fc.oneof(fc.constantFrom(0, 1, 65_535, 65_536, 99_999), fc.integer({ min: 0, max: 3_000_000 }));
  const name = fc.oneof(
    fc.constantFrom('garden', 'Garden', '9lives', 'a', 'x'.repeat(60), 'ünï'),
    fc.string({ maxLength: 12 }),
  );
  const sentence = fc.oneof(
    fc.array(fc.constantFrom(...words), { maxLength: 9 }).map((list) => list.join(' ')),
    number.map((port) => `release port ${port} on web-1`),
    number.map((memory) => `find a server with ${memory} MB`),
    number.map((port) => `reserve port ${port} on web-1 for shop`),
    fc.tuple(name, name).map(([called, purpose]) => `create a project called ${called} for ${purpose}`),
    name.map((text) => `change the description of shop to ${text}`),
    number.map(String),
    fc.string({ maxLength: 60, unit: 'binary' }),
  );

  it("gives the same answer each time, and makes no call that the tool's schema refuses", () => {
    fc.assert(
      fc.property(fc.array(sentence, { minLength: 1, maxLength: 5 }), (texts) => {
        const messages: BaseMessage[] = texts.map((text, at) => human(text, `h${at}`));
        for (let pass = 0; pass < 40; pass++) {
          const planned = next(messages);
          expect(next(messages)).toEqual(planned);
          const [call] = planned.toolCalls;
          if (!call) return;
          expect(problemsOf(call)).toEqual([]);
          messages.push(
            new AIMessage({
              content: planned.content,
              tool_calls: [{ ...call, type: 'tool_call' }],
              additional_kwargs: planned.kwargs,
            }),
          );
          messages.push(
            new ToolMessage({
              tool_call_id: call.id,
              content: '{"ok":true,"result":{}}',
              additional_kwargs: { say: 'ok' },
            }),
          );
          if (call.name === 'finish_task' || call.args['awaiting_response'] === true) return;
        }
        expect.unreachable('the planner loops');
      }),
      { numRuns: 40, seed: 7 },
    );
  });
});
