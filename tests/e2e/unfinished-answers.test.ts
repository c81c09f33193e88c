import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startModelServer, type AskedMessage, type ModelAnswer, type ModelServer } from '../support/model-server.ts';
import type { Person } from '../support/person.ts';
import { openStack, type Stack } from '../support/stack.ts';

// What a model did not finish, or says in a form that its server did not read: nothing of it runs, and none of it reaches people.

let model: ModelServer;
let stack: Stack;
let ada: Person;
/** The answers to the requests of a turn, in order; the last one again and again. */
let answers: readonly ModelAnswer[];
let asked: (readonly AskedMessage[])[];
/** Each test names its projects anew: `-n0` in its answers. */
let round = 0;

beforeAll(async () => {
  model = await startModelServer((messages, tools) => {
    if (tools.includes('classify_intent')) {
      const args = { task_summary: 'work', capabilities: ['project_management', 'deploy'], project: null };
      return { toolCalls: [{ name: 'classify_intent', args }] };
    }
    asked.push(messages);
    const next = JSON.stringify(answers[Math.min(asked.length, answers.length) - 1] ?? {});
    return JSON.parse(next.replaceAll('-n0', `-n${round}`)) as ModelAnswer; // as it was
  });
  stack = await openStack({
    jobs: true,
    env: { MODEL: 'openai', OPENAI_API_KEY: 'test', OPENAI_BASE_URL: model.url },
  });
  await stack.pool.query(
    `insert into projects (name, description, owner, action_id) values ('shop', 'The tea shop.', '1001', 'act_shop')`,
  );
  await stack.pool.query(`insert into services (project, environment, server) values ('shop', 'staging', 'local')`);
});
beforeEach(async () => {
  round += 1;
  ada = await stack.person(1000 + round, 'developer');
  asked = [];
});
afterAll(async () => {
  await stack.close();
  await model.close();
});

const recorded = (name: string): ModelAnswer => ({
  raw: { body: readFileSync(new URL(`../fixtures/model-answers/${name}`, import.meta.url), 'utf8') },
});

interface SentDelta {
  readonly content?: string;
  readonly tool_calls?: readonly object[];
}

/** A stream of these pieces that ends with this reason; null: without one. */
const streamed = (reason: string | null, ...deltas: readonly SentDelta[]): ModelAnswer => stream(null, reason, deltas);
/** `between`: what each piece says of an end before the end. */
const stream = (between: string | null, reason: string | null, deltas: readonly SentDelta[]): ModelAnswer => {
  const pieces = deltas.map((delta) => ({ delta: { role: 'assistant', ...delta }, finish_reason: between }));
  const events = [...pieces, { delta: {}, finish_reason: reason }];
  const body = events
    .map((choice) => ({
      id: 'c1',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, ...choice }],
    }))
    .map((event) => `data: ${JSON.stringify(event)}\n\n`);
  return { raw: { body: `${body.join('')}data: [DONE]\n\n` } };
};
const call = (fields: { index?: number; id?: string; name?: string; args: string }): SentDelta => {
  const { index = 0, id, name, args } = fields;
  const named = { ...(name ? { name } : {}), arguments: args };
  return { tool_calls: [{ index, ...(id ? { id, type: 'function' } : {}), function: named }] };
};
const CREATE = 'create_project_intent';
const creation = (name: string): string =>
  JSON.stringify({ name: `${name}-n0`, description: `The shop ${name}, and all of its tea.` });
const projects = async (): Promise<readonly string[]> => {
  const { rows } = await stack.pool.query<{ name: string }>(
    'select name from projects where name like $1 order by name',
    [`%-n${round}`],
  );
  return rows.map(({ name }) => name.replace(/-n\d+$/, ''));
};
const variables = async (): Promise<number> => {
  const { rows } = await stack.pool.query<{ n: number }>('select count(*)::int as n from service_variables');
  return rows[0]?.n ?? -1;
};
const SAID: ModelAnswer = { content: 'All right.' };

describe('a tool call that a model did not finish', () => {
  const CUT = 'https://db.internal/prod?pool=1';
  it.each<[string, ModelAnswer]>([
    ['inside of a value, at the limit of output', recorded('truncated-call.sse')],
    [
      'although its JSON is whole, at the limit of output',
      streamed('length', call({ id: 'a', name: CREATE, args: creation('tea') })),
    ],
    ['by a filter', streamed('content_filter', call({ id: 'a', name: CREATE, args: creation('tea') }))],
    ['for a reason that nobody knows', streamed('error', call({ id: 'a', name: CREATE, args: creation('tea') }))],
    [
      'inside of its JSON, by a server that calls it complete',
      streamed('stop', call({ id: 'a', name: CREATE, args: creation('tea').slice(0, -6) })),
    ],
    [
      'inside of a figure',
      streamed('tool_calls', call({ id: 'a', name: CREATE, args: creation('tea').replace('}', ', "port": 1') })),
    ],
    [
      'behind one that is whole',
      streamed(
        'length',
        call({ index: 0, id: 'a', name: CREATE, args: creation('tea') }),
        call({ index: 1, id: 'b', name: CREATE, args: '{"name":"b' }),
      ),
    ],
    [
      'before one that is whole',
      streamed(
        'tool_calls',
        call({ index: 0, id: 'a', name: CREATE, args: '{"name":"b' }),
        call({ index: 1, id: 'b', name: CREATE, args: creation('tea') }),
      ),
    ],
  ])('is not carried out when it is cut %s, and the model is asked once more', async (_, cut) => {
    answers = [cut, { toolCalls: [{ name: CREATE, args: JSON.parse(creation('whole')) as unknown }] }, SAID];
    const [said = ''] = await ada.ask('set it up, please');
    expect(await projects()).toEqual(['whole']);
    expect(await variables()).toBe(0);
    expect(said).toContain(`create project whole-n${round}`);
    expect(said).not.toContain(CUT);
    const told = (asked[1] ?? []).filter(({ role }) => role === 'tool').map(({ content }) => content);
    expect(told.every((text) => text.includes('was carried out'))).toBe(true);
    expect(told.length).toBeGreaterThan(0);
    expect(asked).toHaveLength(3);
  });

  it('is requested again when its stream ends without a reason, and is not carried out', async () => {
    answers = [streamed(null, call({ id: 'a', name: CREATE, args: creation('tea') })), SAID];
    expect(await ada.ask('set it up, please')).toEqual(['All right.']);
    expect(await projects()).toEqual([]);
  });

  it('leads to a clear error message when it is cut off every time', async () => {
    answers = [recorded('truncated-call.sse')];
    const [said = ''] = await ada.ask('set it up, please');
    expect(said).toContain('the same step failed again and again');
    expect(await variables()).toBe(0);
  });
});

describe('a tool call with unusual ids and indexes of its model server', () => {
  it.each<[string, ModelAnswer, readonly string[]]>([
    ['without an id', streamed('tool_calls', call({ name: CREATE, args: creation('tea') })), ['tea']],
    [
      'with a word for no end in each piece',
      stream('null', 'stop', [call({ id: 'a', name: CREATE, args: creation('tea') })]),
      ['tea'],
    ],
    [
      'with an empty end in each piece',
      stream('', 'stop', [call({ id: 'a', name: CREATE, args: creation('tea') })]),
      ['tea'],
    ],
    [
      'with index 0 for two, in pieces',
      streamed(
        'tool_calls',
        call({ id: 'a', name: CREATE, args: creation('one').slice(0, 9) }),
        call({ args: creation('one').slice(9) }),
        call({ id: 'b', name: CREATE, args: creation('two').slice(0, 9) }),
        call({ args: creation('two').slice(9) }),
      ),
      ['one', 'two'],
    ],
    [
      'with one id for two',
      streamed(
        'tool_calls',
        call({ index: 0, id: 'a', name: CREATE, args: creation('one') }),
        call({ index: 1, id: 'a', name: CREATE, args: creation('two') }),
      ),
      ['one', 'two'],
    ],
    [
      'with one id and index for two',
      streamed(
        'tool_calls',
        call({ id: 'a', name: CREATE, args: creation('one') }),
        call({ id: 'a', name: CREATE, args: creation('two') }),
      ),
      ['one', 'two'],
    ],
    [
      'with a new id in each piece',
      streamed(
        'tool_calls',
        call({ id: 'a', name: CREATE, args: creation('one').slice(0, 9) }),
        call({ id: 'b', args: creation('one').slice(9) }),
      ),
      ['one'],
    ],
    [
      'with its name in each piece',
      streamed(
        'tool_calls',
        call({ id: 'a', name: CREATE, args: creation('one').slice(0, 9) }),
        call({ id: 'a', name: CREATE, args: creation('one').slice(9) }),
      ),
      ['one'],
    ],
  ])('runs once and whole: %s', async (_, sent, made) => {
    answers = [sent, SAID];
    await ada.ask('set it up, please');
    expect(await projects()).toEqual(made);
    expect(asked).toHaveLength(2);
  });

  it('runs without arguments when its server sends none', async () => {
    answers = [recorded('call-without-id.sse'), SAID];
    expect(await ada.ask('what is there?')).toEqual(['All right.']);
    expect(asked[1]?.at(-1)?.content).toContain('"ok":true');
  });
});

describe('the thinking text of a model', () => {
  it.each([
    '<think>secret thoughts</think>The answer is 42.',
    '<|channel|>analysis<|message|>secret<|end|><|start|>assistant<|channel|>final<|message|>The answer is 42.',
  ])('is not shown: %s', async (content) => {
    answers = [{ content }];
    expect(await ada.ask('what is it?')).toEqual(['The answer is 42.']);
  });

  it('is not shown inside a message that the model sends with a tool call', async () => {
    const message = '<think>secret</think>The answer is 42.';
    answers = [{ toolCalls: [{ name: 'respond_to_user', args: { message, awaiting_response: true } }] }];
    expect(await ada.ask('what is it?')).toEqual(['The answer is 42.']);
  });

  it.each([
    '<think>thinking for ever',
    '<tool_call>{"name": "list_projects", "arguments": {}}</tool_call>',
    '{"name": "list_projects", "arguments": {}}',
    '[TOOL_CALLS][{"name": "list_projects", "arguments": {}}]',
  ])(
    'leads to one more model request when it is the whole answer, and then to an error message: %s',
    async (content) => {
      answers = [{ content }];
      expect(await ada.ask('what is it?')).toEqual([
        'The language model gave no usable answer, so I stopped. Please say it again in other words.',
      ]);
      expect(asked).toHaveLength(2);
    },
  );

  it('is dropped together with a call written as text, and the model makes the call on the second request', async () => {
    answers = [
      { content: 'I look.\n<tool_call>{"name": "list_projects", "arguments": {}}</tool_call>' },
      { toolCalls: [{ name: 'list_projects', args: {} }] },
      { content: 'One: shop.' },
    ];
    expect(await ada.ask('what is there?')).toEqual(['One: shop.']);
  });

  it('is shown inside a code block that a person asked for', async () => {
    const content = 'Like this:\n\n```\n<think>thoughts</think>\n<tool_call>{}</tool_call>\n```';
    answers = [{ content }];
    const [said = ''] = await ada.ask('how do models write thoughts?');
    expect(said).toContain('<think>thoughts</think>\n<tool_call>{}</tool_call>');
  });
});

describe('an answer whose text is cut off', () => {
  it('is marked as unfinished in the language of the person', async () => {
    answers = [recorded('text-cut-by-length.sse')];
    expect(await ada.ask('tell me all')).toEqual([
      'The first half of a sen\n\nUnfinished: the answer breaks off here. Write “go on” for the rest.',
    ]);
    await ada.ask('/language de');
    expect(await ada.ask('erzähl alles')).toEqual([
      'The first half of a sen\n\nUnfertig: Die Antwort bricht hier ab. Schreib „weiter“ für den Rest.',
    ]);
  });

  it('is marked when a content filter cut it, and a complete answer is not marked', async () => {
    answers = [streamed('content_filter', { content: 'Half of' })];
    expect((await ada.ask('tell me all'))[0]).toContain('Unfinished');
    answers = [streamed('stop', { content: 'All of it.' })];
    expect(await ada.ask('tell me all')).toEqual(['All of it.']);
  });
});
