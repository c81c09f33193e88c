import { AIMessage, HumanMessage, SystemMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import catalog from './catalog.fixture.json' with { type: 'json' };
import type { PlannerFacts } from './catalog.ts';
import { PlannerMark } from './marks.ts';
import { plan } from './plan.ts';
import type { PlannedMessage } from './planned-message.ts';

const BASE = ['respond_to_user', 'search_knowledge', 'request_capabilities', 'finish_task'];
const FACTS: PlannerFacts = {
  activeGroups: [],
  known: { project: ['shop', 'blog'], server: ['web-1', 'web-2'] },
  currentProject: null,
};

interface Outcome {
  readonly ok: boolean;
  readonly result?: unknown;
  readonly error?: string;
  readonly say?: string;
}
interface Reply {
  readonly text: string;
  readonly choices?: readonly string[];
}

/** A conversation with the planner in the place of the model, and tools that answer what the test says. */
function talk(
  options: {
    facts?: Partial<PlannerFacts>;
    loaded?: readonly string[];
    run?: (tool: string, args: Record<string, unknown>) => Outcome;
  } = {},
) {
  const facts = { ...FACTS, ...options.facts };
  const loaded = new Set(options.loaded ?? ['infrastructure', 'project_management']);
  const run = options.run ?? ((tool, args) => ({ ok: true, result: {}, say: `ran ${tool} ${JSON.stringify(args)}` }));
  const history: BaseMessage[] = [];
  const calls: { tool: string; args: Record<string, unknown> }[] = [];
  let count = 0;
  let passes = 0;

  const bound = () => [
    ...BASE.map((name) => ({ name, description: '', schema: {} })),
    ...catalog.groups
      .filter((group) => group.installed && loaded.has(group.name))
      .flatMap((group) =>
        group.tools.map(({ name, describe: description, schema }) => ({ name, description, schema })),
      ),
  ];
  const next = (): PlannedMessage => {
    const system = new SystemMessage({
      content: 'x',
      additional_kwargs: { planner: { ...facts, activeGroups: [...loaded] } },
    });
    return plan({ messages: [system, ...history], tools: bound(), catalog });
  };
  const execute = (tool: string, args: Record<string, unknown>): Outcome => {
    calls.push({ tool, args });
    if (tool === 'request_capabilities') {
      const wanted = args['capabilities'] as string[];
      const enabled = wanted.filter((name) => catalog.groups.some((group) => group.name === name && group.installed));
      enabled.forEach((name) => loaded.add(name));
      return {
        ok: true,
        result: {
          enabled,
          new_tools: [],
          not_installed: wanted.filter((name) => !enabled.includes(name)),
          unknown: [],
        },
        say: 'Loaded.',
      };
    }
    return run(tool, args);
  };
  const turn = (...said: (string | { event: string })[]): readonly Reply[] => {
    for (const one of said) {
      const id = `h${++count}`;
      const event =
        typeof one === 'string' ? {} : { additional_kwargs: { event: { kind: 'job-finished', say: one.event } } };
      history.push(new HumanMessage({ id, content: typeof one === 'string' ? one : 'event', ...event }));
    }
    const replies: Reply[] = [];
    for (passes = 1; passes <= 30; passes++) {
      const planned = next();
      const tool_calls = planned.toolCalls.map((call) => ({ ...call, type: 'tool_call' as const }));
      history.push(
        new AIMessage({ id: planned.id, content: planned.content, tool_calls, additional_kwargs: planned.kwargs }),
      );
      if (planned.content !== '') replies.push({ text: planned.content });
      const [call] = planned.toolCalls;
      if (!call) return replies;
      if (call.name === 'respond_to_user') {
        const choices = call.args['choices'] as { value: string }[] | undefined;
        replies.push({
          text: String(call.args['message']),
          ...(choices ? { choices: choices.map(({ value }) => value) } : {}),
        });
      }
      const outcome =
        call.name === 'respond_to_user'
          ? { ok: true, say: String(call.args['message']) }
          : execute(call.name, call.args);
      const { say, ...body } = outcome;
      const content = JSON.stringify(outcome.ok ? body : outcome);
      history.push(
        new ToolMessage({
          tool_call_id: call.id,
          name: call.name,
          content,
          additional_kwargs: say === undefined ? {} : { say },
        }),
      );
      if (call.args['awaiting_response'] === true || call.name === 'finish_task') return replies;
    }
    throw new Error('the planner loops');
  };
  return { turn, calls, history, next, passes: () => passes };
}

const onlyText = (replies: readonly Reply[]): string => {
  expect(replies).toHaveLength(1);
  return replies[0]?.text ?? '';
};

describe('a request', () => {
  it('runs the tool and answers with its phrase', () => {
    const chat = talk();
    expect(chat.turn('allocate a port for shop on web-1')).toEqual([
      { text: 'ran allocate_port {"server":"web-1","project":"shop"}' },
    ]);
    expect(chat.calls).toEqual([{ tool: 'allocate_port', args: { server: 'web-1', project: 'shop' } }]);
  });

  it('loads the group first when it is not loaded', () => {
    const chat = talk({ loaded: [] });
    chat.turn('list the servers');
    expect(chat.calls.map(({ tool }) => tool)).toEqual(['request_capabilities', 'list_managed_servers']);
    expect(chat.calls[0]?.args).toMatchObject({ capabilities: ['infrastructure'] });
  });

  it('says plainly that a capability is not installed, and what there is', () => {
    const chat = talk({ loaded: [] });
    const text = onlyText(chat.turn('deploy shop to staging'));
    expect(text).toContain('Deploying is not installed here.');
    expect(text).toContain('- list the servers');
    expect(chat.calls).toEqual([]);
  });

  it('says that a group may not be used when loading it changed nothing', () => {
    const chat = talk({ loaded: [] });
    chat.history.push(new HumanMessage({ id: 'x', content: 'list the servers' }));
    const asked = chat.next();
    const [call] = asked.toolCalls;
    chat.history.push(
      new AIMessage({ content: '', tool_calls: [{ ...call!, type: 'tool_call' }], additional_kwargs: asked.kwargs }),
    );
    chat.history.push(
      new ToolMessage({
        tool_call_id: call!.id,
        content: '{"ok":false,"error":"NOT_PERMITTED","say":"Your role does not allow that."}',
      }),
    );
    expect(chat.next()).toMatchObject({ content: 'Your role does not allow that.', toolCalls: [] });
  });

  it('renders a result that has no phrase', () => {
    const chat = talk({
      run: () => ({
        ok: true,
        result: {
          servers: [
            { name: 'web-1', free: 3 },
            { name: 'web-2', free: 0 },
          ],
        },
      }),
    });
    expect(onlyText(chat.turn('list the servers'))).toBe('- name web-1, free 3\n- name web-2, free 0');
  });

  it('takes the only known server without asking', () => {
    const chat = talk({ facts: { known: { project: ['shop'], server: ['web-1'] } } });
    chat.turn('allocate a port');
    expect(chat.calls[0]?.args).toEqual({ server: 'web-1', project: 'shop' });
  });

  it('does not take the only known project for one of another name', () => {
    const chat = talk({ facts: { known: { project: ['shop'] } } });
    expect(onlyText(chat.turn('status of garden'))).toBe('I know no project named garden. Which project do you mean?');
    expect(chat.calls).toEqual([]);
  });

  it('never ignores a server that nobody knows', () => {
    const chat = talk();
    expect(chat.turn('which ports are taken on web-9')[0]?.text).toBe('I know no server named web-9. Which server?');
    expect(chat.calls).toEqual([]);
  });

  it('says that there is nothing to choose from when no server is known', () => {
    const chat = talk({ facts: { known: { project: ['shop'], server: [] } } });
    expect(onlyText(chat.turn('next free port'))).toContain('I know no server yet');
  });

  it('takes "it" for the project that the conversation is about', () => {
    const chat = talk({ facts: { currentProject: 'blog' } });
    chat.turn('how is it doing?', 'archive it');
    expect(chat.calls).toEqual([
      { tool: 'get_project_status', args: { project: 'blog' } },
      { tool: 'update_project', args: { project: 'blog', status: 'archived' } },
    ]);
  });

  it('asks what is meant when two tools are as near, and goes on with the words of before', () => {
    const chat = talk();
    const [question] = chat.turn('shop ports web-1');
    if (question?.choices) {
      chat.turn(question.choices[0] ?? '');
      expect(chat.calls[0]?.args).toMatchObject({ project: 'shop' });
    } else expect(chat.calls).toHaveLength(1);
  });

  it('leaves alone what somebody says not to do', () => {
    const chat = talk();
    expect(onlyText(chat.turn("don't release port 3001 on web-1"))).toBe('OK, I leave it as it is.');
    expect(chat.calls).toEqual([]);
  });
});

describe('a question of ours', () => {
  it('asks once for the first missing argument, with buttons', () => {
    const chat = talk();
    expect(chat.turn('allocate a port for shop')).toEqual([{ text: 'On which server?', choices: ['web-1', 'web-2'] }]);
    expect(chat.calls).toEqual([]);
  });

  it.each(['web-2', 'WEB-2', 'web2', '2', 'the second one', 'the last one', 'on web-2 please', 'use web-2'])(
    'takes “%s” as the second choice',
    (answer) => {
      const chat = talk();
      chat.turn('allocate a port for shop');
      chat.turn(answer);
      expect(chat.calls.at(-1)).toEqual({ tool: 'allocate_port', args: { server: 'web-2', project: 'shop' } });
    },
  );

  it('forgives a mistyped name', () => {
    const chat = talk();
    chat.turn('allocate a port on web-1');
    chat.turn('blgo');
    expect(chat.calls.at(-1)?.args).toEqual({ server: 'web-1', project: 'blog' });
  });

  it('asks one thing after the other', () => {
    const chat = talk();
    expect(chat.turn('allocate a port')[0]?.text).toBe('On which server?');
    expect(chat.turn('web-1')[0]?.text).toBe('For which project?');
    chat.turn('shop');
    expect(chat.calls).toEqual([{ tool: 'allocate_port', args: { server: 'web-1', project: 'shop' } }]);
  });

  it('takes more than was asked for out of an answer', () => {
    const chat = talk();
    chat.turn('allocate a port');
    chat.turn('web-1 for shop with 1 GB');
    expect(chat.calls).toEqual([{ tool: 'allocate_port', args: { server: 'web-1', project: 'shop', memoryMb: 1024 } }]);
  });

  it('fills a name and a description from free text', () => {
    const chat = talk();
    expect(chat.turn('create a project')[0]?.text).toBe('What should the project be called?');
    expect(chat.turn("let's call it Pet Store")[0]?.text).toBe('What is it for, in a sentence?');
    chat.turn('selling food for pets');
    expect(chat.calls).toEqual([
      { tool: 'create_project_intent', args: { name: 'pet-store', description: 'selling food for pets' } },
    ]);
  });

  it('takes a description that sounds like a request for a description', () => {
    const chat = talk();
    chat.turn('create a project called garden');
    chat.turn('a page to list the best servers of restaurants');
    expect(chat.calls[0]?.args).toEqual({
      name: 'garden',
      description: 'a page to list the best servers of restaurants',
    });
  });

  it('takes numbers with units', () => {
    const chat = talk();
    chat.turn('find a server');
    chat.turn('2 gigs');
    expect(chat.calls).toEqual([{ tool: 'find_suitable_server', args: { memoryMb: 2048 } }]);
  });

  it.each(['cancel', 'never mind', 'forget it', 'no', 'stop'])('is dropped at “%s”', (refusal) => {
    const chat = talk();
    chat.turn('allocate a port');
    expect(onlyText(chat.turn(refusal))).toBe('OK, I dropped that.');
    chat.turn('web-1');
    expect(chat.calls.some(({ tool }) => tool === 'allocate_port')).toBe(false);
  });

  it('is dropped by a clearly different request', () => {
    const chat = talk();
    chat.turn('allocate a port');
    chat.turn('list the projects');
    expect(chat.calls).toEqual([{ tool: 'list_projects', args: {} }]);
  });

  it('is put once more, then dropped', () => {
    const chat = talk();
    chat.turn('allocate a port for shop');
    expect(chat.turn('purple')[0]?.text).toBe('I did not understand that as an answer. On which server?');
    expect(onlyText(chat.turn('purple'))).toContain('I still do not understand');
  });

  it('survives the report of a finished job', () => {
    const chat = talk();
    chat.turn('allocate a port for shop');
    expect(chat.turn({ event: 'Indexing is done.' })).toEqual([{ text: 'Indexing is done.' }]);
    chat.turn('web-1');
    expect(chat.calls.at(-1)?.args).toEqual({ server: 'web-1', project: 'shop' });
  });

  it('is closed by a note that ended the turn', () => {
    const chat = talk();
    chat.turn('allocate a port for shop');
    chat.history.push(new AIMessage('Stopped.'));
    chat.turn('web-1');
    expect(chat.calls.some(({ tool }) => tool === 'allocate_port')).toBe(false);
  });

  it('says what is wrong with a value that the tool would refuse', () => {
    const chat = talk();
    expect(chat.turn('release port 99999 on web-1')[0]?.text).toBe(
      'The port cannot be 99999: it must be a number from 1 to 65535. Which port?',
    );
    chat.turn('3001');
    expect(chat.calls).toEqual([{ tool: 'release_port', args: { server: 'web-1', port: 3001 } }]);
  });
});

describe('several messages at once', () => {
  it('are answered one after the other, the last one in plain content', () => {
    const chat = talk({ run: (tool) => ({ ok: true, result: {}, say: tool }) });
    const replies = chat.turn('list the servers', 'status of shop', 'hello', 'deploy shop', 'list the projects');
    expect(replies.map(({ text }) => text.split('\n')[0])).toEqual([
      'list_managed_servers',
      'get_project_status',
      'Hello. I can do this, for example:',
      'Deploying is not installed here. I can:',
      'list_projects',
    ]);
    expect(chat.history.at(-1)).toMatchObject({ content: 'list_projects', tool_calls: [] });
  });

  it('let a question wait until the others are answered', () => {
    const chat = talk({ run: (tool) => ({ ok: true, result: {}, say: tool }) });
    expect(chat.turn('allocate a port for shop', 'list the projects').map(({ text }) => text)).toEqual([
      'list_projects',
      'On which server?',
    ]);
    chat.turn('web-1');
    expect(chat.calls.at(-1)).toEqual({ tool: 'allocate_port', args: { server: 'web-1', project: 'shop' } });
  });

  it('never ask more than one question at a time, and ask the next one later', () => {
    const chat = talk();
    expect(chat.turn('allocate a port for shop', 'release port 3001')).toHaveLength(1);
    const replies = chat.turn('web-1');
    expect(chat.calls).toEqual([{ tool: 'allocate_port', args: { server: 'web-1', project: 'shop' } }]);
    expect(replies.at(-1)).toEqual({ text: 'On which server?', choices: ['web-1', 'web-2'] });
    chat.turn('web-2');
    expect(chat.calls.at(-1)).toEqual({ tool: 'release_port', args: { server: 'web-2', port: 3001 } });
  });

  it('may hold a thought in pieces', () => {
    const chat = talk();
    chat.turn('allocate a port for shop', 'on web-2');
    expect(chat.calls).toEqual([{ tool: 'allocate_port', args: { server: 'web-2', project: 'shop' } }]);
  });

  it('may hold a thought in more than two pieces', () => {
    const chat = talk();
    chat.turn('allocate a port', 'on web-1', 'for blog');
    expect(chat.calls).toEqual([{ tool: 'allocate_port', args: { server: 'web-1', project: 'blog' } }]);
  });

  it('do not finish the task while one of them waits', () => {
    const chat = talk();
    chat.turn('list the servers');
    const replies = chat.turn('thanks', 'list the projects');
    expect(replies[0]?.text).toBe("You're welcome.");
    expect(chat.calls.map(({ tool }) => tool)).not.toContain('finish_task');
  });
});

describe('several requests in one message', () => {
  it('are dealt with one after the other', () => {
    const chat = talk({ run: (tool) => ({ ok: true, result: {}, say: tool }) });
    const replies = chat.turn('list the servers, then show the status of shop and list the projects');
    expect(replies.map(({ text }) => text)).toEqual(['list_managed_servers', 'get_project_status', 'list_projects']);
  });

  it('may speak of what the one before has made', () => {
    const chat = talk();
    chat.turn('create a project called radio and allocate a port for it on web-1');
    expect(chat.calls).toEqual([]);
    chat.turn('internet radio');
    expect(chat.calls).toEqual([
      { tool: 'create_project_intent', args: { name: 'radio', description: 'internet radio' } },
      { tool: 'allocate_port', args: { server: 'web-1', project: 'radio' } },
    ]);
  });

  it('are not seen in a description with "and"', () => {
    const chat = talk();
    chat.turn('create a project called garden for plants and flowers');
    expect(chat.calls[0]?.args).toEqual({ name: 'garden', description: 'plants and flowers' });
  });

  it('bear a mark of all of them, so that they are never parted another way', () => {
    const chat = talk();
    chat.turn('list the servers and list the projects');
    const marks = chat.history.flatMap(
      (message) => PlannerMark.safeParse(message.additional_kwargs['planner']).data ?? [],
    );
    const parts = ['list the servers', 'list the projects'];
    expect(marks.map(({ part, done }) => [part, done])).toEqual([
      [0, false],
      [0, true],
      [1, false],
      [1, true],
    ]);
    for (const mark of marks) expect(mark).toMatchObject({ for: 'h1', parts });
  });
});

describe('thanks', () => {
  it.each(['thanks', 'Thank you so much!', 'got it', 'perfect', "great, that's all", 'done', '👍'])(
    '“%s” finishes what was done',
    (thanks) => {
      const chat = talk({ run: () => ({ ok: true, result: {}, say: 'I created **garden**.\nMore.' }) });
      chat.turn('create a project called garden for plants');
      chat.turn(thanks);
      expect(chat.calls.at(-1)).toEqual({ tool: 'finish_task', args: { summary: 'I created garden.' } });
    },
  );

  it('finish nothing when nothing was shown', () => {
    const chat = talk();
    expect(onlyText(chat.turn('thanks'))).toBe("You're welcome.");
    expect(chat.calls).toEqual([]);
  });

  it('are returned when finishing is refused', () => {
    const chat = talk({
      run: (tool) =>
        tool === 'finish_task' ? { ok: false, error: 'TOOL_INPUT_INVALID', say: 'no' } : { ok: true, say: 'ok' },
    });
    chat.turn('list the servers');
    chat.turn('thanks');
    expect(chat.next()).toMatchObject({ content: "You're welcome.", toolCalls: [] });
  });

  it('in a longer message are only manners', () => {
    const chat = talk();
    chat.turn('list the servers');
    chat.turn('thanks, and now list the projects please');
    expect(chat.calls.at(-1)?.tool).toBe('list_projects');
  });
});

describe('a failing tool', () => {
  const notFound = (tool: string): Outcome => ({
    ok: false,
    error: 'NOT_FOUND',
    say: `I know no server named web-1. Known: web-2. (${tool})`,
  });

  it('is reported in its own sentence', () => {
    const chat = talk({ run: () => ({ ok: false, error: 'NO_CAPACITY', say: 'web-1 is full.' }) });
    expect(onlyText(chat.turn('allocate a port for shop on web-1'))).toBe('web-1 is full.');
  });

  it('that does not find a name leads to one question, not to two', () => {
    const chat = talk({ run: notFound });
    expect(chat.turn('next free port on web-1')).toEqual([
      {
        text: 'I know no server named web-1. Known: web-2. (get_next_available_port) On which server?',
        choices: ['web-1', 'web-2'],
      },
    ]);
    expect(chat.turn('web-1')).toEqual([
      { text: 'I know no server named web-1. Known: web-2. (get_next_available_port)' },
    ]);
  });

  it('is not called again by itself', () => {
    const chat = talk({ run: () => ({ ok: false, error: 'TOOL_FAILED' }) });
    expect(onlyText(chat.turn('list the servers'))).toBe('“list managed servers” did not work.');
    expect(chat.calls).toHaveLength(1);
  });

  it('whose outcome is not in the history is not called again', () => {
    const chat = talk();
    chat.history.push(new HumanMessage({ id: 'x', content: 'release port 3001 on web-1' }));
    const asked = chat.next();
    chat.history.push(
      new AIMessage({
        content: '',
        tool_calls: [{ ...asked.toolCalls[0]!, type: 'tool_call' }],
        additional_kwargs: asked.kwargs,
      }),
    );
    expect(chat.next()).toMatchObject({
      toolCalls: [],
      content: expect.stringContaining('could not see what came of') as string,
    });
  });
});

describe('questions about something', () => {
  const found = {
    hits: [{ source: 'docs/approvals.md › Cards', excerpt: 'An approval is a row.', scope: 'docs', relevance: 0.9 }],
    unavailable: ['code'],
  };

  it('are searched, and answered with the source', () => {
    const chat = talk({ run: () => ({ ok: true, result: found }) });
    expect(onlyText(chat.turn('how do approvals work?'))).toBe(
      'This is what I found:\n- An approval is a row. (docs/approvals.md › Cards)',
    );
    expect(chat.calls).toEqual([{ tool: 'search_knowledge', args: { query: 'how do approvals work?', scope: 'all' } }]);
  });

  it('that find nothing say so', () => {
    const chat = talk({ run: () => ({ ok: true, result: { hits: [], unavailable: [] } }) });
    expect(onlyText(chat.turn('why is the sky blue?'))).toBe('I found nothing about “why is the sky blue?”.');
  });

  it('never change anything', () => {
    const chat = talk({ run: () => ({ ok: true, say: 'hits' }) });
    chat.turn('how do I release a port?');
    chat.turn('what happens if I release port 3001 on web-1?');
    expect(chat.calls.map(({ tool }) => tool)).toEqual(['search_knowledge', 'search_knowledge']);
  });
});
