import { AIMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import catalog from '../../../shared/planner/src/catalog.fixture.json' with { type: 'json' };
import { createConversation, type Outcome, type Reply, type Situation } from './conversation.ts';

const talk = (situation?: Situation) => createConversation(catalog, situation);

function onlyText(replies: readonly Reply[]): string {
  expect(replies).toHaveLength(1);
  return replies[0]?.text ?? '';
}

describe('a request', () => {
  it('runs the tool and answers with the sentence of the tool', () => {
    const chat = talk();
    expect(chat.turn('allocate a port for shop on web-1')).toEqual([
      { text: 'ran allocate_port {"server":"web-1","project":"shop"}' },
    ]);
    expect(chat.calls).toEqual([{ tool: 'allocate_port', args: { server: 'web-1', project: 'shop' } }]);
  });

  it('loads the tool group first when the group is not loaded', () => {
    const chat = talk({ loaded: [] });
    chat.turn('list the servers');
    expect(chat.calls.map(({ tool }) => tool)).toEqual(['request_capabilities', 'list_managed_servers']);
    expect(chat.calls[0]?.args).toMatchObject({ capabilities: ['infrastructure'] });
  });

  it('for a capability that is not installed is answered with the installed capabilities', () => {
    const chat = talk({ loaded: [] });
    const text = onlyText(chat.turn('deploy shop to staging'));
    expect(text).toContain('Deploying is not installed here.');
    expect(text).toContain('- list the servers');
    expect(chat.calls).toEqual([]);
  });

  it('is refused with the reason when its tool group may not be loaded', () => {
    const chat = talk({ loaded: [] });
    chat.hear('list the servers');
    const call = chat.step(true);
    chat.addResult(call?.id ?? '', { ok: false, error: 'NOT_PERMITTED', say: 'Your role does not allow that.' });
    expect(chat.next()).toMatchObject({ content: 'Your role does not allow that.', toolCalls: [] });
  });

  it('uses the only known server without asking', () => {
    const chat = talk({ facts: { known: { project: ['shop'], server: ['web-1'] } } });
    chat.turn('allocate a port');
    expect(chat.calls[0]?.args).toEqual({ server: 'web-1', project: 'shop' });
  });

  it('does not use the only known project in place of a project with another name', () => {
    const chat = talk({ facts: { known: { project: ['shop'] } } });
    expect(onlyText(chat.turn('status of garden'))).toBe('I know no project named garden. Which project do you mean?');
    expect(chat.calls).toEqual([]);
  });

  it('never ignores an unknown server name', () => {
    const chat = talk();
    expect(chat.turn('which ports are taken on web-9')[0]?.text).toBe('I know no server named web-9. Which server?');
    expect(chat.calls).toEqual([]);
  });

  it('is answered that there is nothing to choose from when no server is known', () => {
    const chat = talk({ facts: { known: { project: ['shop'], server: [] } } });
    expect(onlyText(chat.turn('next free port'))).toContain('I know no server yet');
  });

  it('takes "it" to mean the project that the conversation is about', () => {
    const chat = talk({ facts: { currentProject: 'blog' } });
    chat.turn('how is it doing?', 'archive it');
    expect(chat.calls).toEqual([
      { tool: 'get_project_status', args: { project: 'blog' } },
      { tool: 'update_project', args: { project: 'blog', status: 'archived' } },
    ]);
  });

  it('asks which tool is meant when two tools fit equally, and keeps the values of the first message', () => {
    const schema = { properties: { project: { type: 'string', entity: 'project' } }, required: ['project'] };
    const tools = ['back_up', 'copy'].map((name) => ({ name, describe: '', hints: ['save the shop'], schema }));
    const chat = createConversation({ groups: [{ name: 'backup', summary: '', installed: true, tools }] });
    expect(chat.turn('save blog')[0]?.choices).toEqual(['Back up: blog', 'Copy: blog', 'None of these']);
    chat.turn('Back up: blog');
    expect(chat.calls).toEqual([{ tool: 'back_up', args: { project: 'blog' } }]);
  });

  it('with a negation is not carried out', () => {
    const chat = talk();
    expect(onlyText(chat.turn("don't release port 3001 on web-1"))).toBe('OK, I leave it as it is.');
    expect(chat.calls).toEqual([]);
  });
});

describe('a change that was ordered with unknown words', () => {
  const UNSURE = "we don't need port 3001 on web-1 these days";
  const BUTTON = 'Release port: web-1, 3001';

  it('is shown exactly, and is made when the person confirms it', () => {
    for (const answer of [BUTTON, BUTTON.toLowerCase()]) {
      const chat = talk();
      const [offered] = chat.turn(UNSURE);
      expect(offered?.text).toContain('I have not done anything yet.');
      expect([offered?.choices?.[0], offered?.choices?.at(-1)]).toEqual([BUTTON, 'None of these']);
      expect(chat.calls).toEqual([]);
      chat.turn(answer);
      expect(chat.calls).toEqual([{ tool: 'release_port', args: { server: 'web-1', port: 3001 } }]);
    }
  });

  it('is not made after any answer other than the confirmation', () => {
    for (const answer of ['None of these', 'no', 'why?', 'later', 'nein', 'yes but not now', 'did it work?']) {
      const chat = talk();
      chat.turn(UNSURE);
      chat.turn(answer);
      expect(chat.calls.filter(({ tool }) => !/^(?:search|list|get)_/.test(tool))).toEqual([]);
    }
  });

  it('can be confirmed by its button when a value ends like a sentence', () => {
    const chat = talk();
    const [offered] = chat.turn('change the description of shop to "tea and cups!" somehow');
    const [button = ''] = offered?.choices ?? [];
    expect(button).toMatch(/^Update project: shop, tea and cups/);
    chat.turn(button);
    expect(chat.calls).toMatchObject([{ tool: 'update_project', args: { project: 'shop' } }]);
  });
});

describe('a question of the planner', () => {
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

  it('accepts a mistyped name as its answer', () => {
    const chat = talk();
    chat.turn('allocate a port on web-1');
    chat.turn('blgo');
    expect(chat.calls.at(-1)?.args).toEqual({ server: 'web-1', project: 'blog' });
  });

  it('asks for the missing arguments one after the other', () => {
    const chat = talk();
    expect(chat.turn('allocate a port')[0]?.text).toBe('On which server?');
    expect(chat.turn('web-1')[0]?.text).toBe('For which project?');
    chat.turn('shop');
    expect(chat.calls).toEqual([{ tool: 'allocate_port', args: { server: 'web-1', project: 'shop' } }]);
  });

  it('takes the values of other arguments from the same answer', () => {
    const chat = talk();
    chat.turn('allocate a port');
    chat.turn('web-1 for shop with 1 GB');
    expect(chat.calls).toEqual([{ tool: 'allocate_port', args: { server: 'web-1', project: 'shop', memoryMb: 1024 } }]);
  });

  it('fills a name and a description from one free-text answer', () => {
    const chat = talk();
    expect(chat.turn('create a project')[0]?.text).toBe('What should the project be called?');
    expect(chat.turn("let's call it Pet Store")[0]?.text).toBe('What is it for, in a sentence?');
    chat.turn('selling food for pets');
    expect(chat.calls).toEqual([
      { tool: 'create_project_intent', args: { name: 'pet-store', description: 'selling food for pets' } },
    ]);
  });

  it('accepts a description that sounds like a request as the description', () => {
    const chat = talk();
    chat.turn('create a project called garden');
    chat.turn('a page to list the best servers of restaurants');
    expect(chat.calls[0]?.args).toEqual({
      name: 'garden',
      description: 'a page to list the best servers of restaurants',
    });
  });

  it('accepts numbers with units', () => {
    const chat = talk();
    chat.turn('find a server');
    chat.turn('2 gigs');
    expect(chat.calls).toEqual([{ tool: 'find_suitable_server', args: { memoryMb: 2048 } }]);
  });

  it.each(['cancel', 'never mind', 'forget it', 'no', 'stop'])('is dropped when the person answers “%s”', (refusal) => {
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

  it('is asked once more after an answer that was not understood, then dropped', () => {
    const chat = talk();
    chat.turn('allocate a port for shop');
    expect(chat.turn('purple')[0]?.text).toBe('I did not understand that as an answer. On which server?');
    expect(onlyText(chat.turn('purple'))).toContain('I still do not understand');
  });

  it('stays open when the result of a finished job is reported', () => {
    const chat = talk();
    chat.turn('allocate a port for shop');
    expect(chat.turn({ event: 'Indexing is done.' })).toEqual([{ text: 'Indexing is done.' }]);
    chat.turn('web-1');
    expect(chat.calls.at(-1)?.args).toEqual({ server: 'web-1', project: 'shop' });
  });

  it('is closed by a message that ended the turn, such as “Stopped.”', () => {
    const chat = talk();
    chat.turn('allocate a port for shop');
    chat.history.push(new AIMessage('Stopped.'));
    chat.turn('web-1');
    expect(chat.calls.some(({ tool }) => tool === 'allocate_port')).toBe(false);
  });

  it('explains what is wrong with a value that the tool would refuse', () => {
    const chat = talk();
    expect(chat.turn('release port 99999 on web-1')[0]?.text).toBe(
      'The port cannot be 99999: it must be a number from 1 to 65535. Which port?',
    );
    chat.turn('3001');
    expect(chat.calls).toEqual([{ tool: 'release_port', args: { server: 'web-1', port: 3001 } }]);
  });
});

describe('a failing tool', () => {
  const notFound = (tool: string): Outcome => ({
    ok: false,
    error: 'NOT_FOUND',
    say: `I know no server named web-1. Known: web-2. (${tool})`,
  });

  it('is reported with the sentence of its error', () => {
    const chat = talk({ run: () => ({ ok: false, error: 'NO_CAPACITY', say: 'web-1 is full.' }) });
    expect(onlyText(chat.turn('allocate a port for shop on web-1'))).toBe('web-1 is full.');
  });

  it('that does not find a name leads to one question about the name, not to two', () => {
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

  it('is not called again automatically', () => {
    const chat = talk({ run: () => ({ ok: false, error: 'TOOL_FAILED' }) });
    expect(onlyText(chat.turn('list the servers'))).toBe('“list managed servers” did not work.');
    expect(chat.calls).toHaveLength(1);
  });

  it('is not called again when its result is not in the history', () => {
    const chat = talk();
    chat.hear('release port 3001 on web-1');
    chat.step(true);
    expect(chat.next()).toMatchObject({
      toolCalls: [],
      content: expect.stringContaining('I do not know the result of') as string,
    });
  });
});

describe('after a look-up', () => {
  const allocations = () => {
    const chat = talk();
    chat.turn('which ports are taken on web-1');
    return chat;
  };

  it('a message with only a new value repeats the look-up with this value', () => {
    const chat = allocations();
    chat.turn('and for blog?');
    expect(chat.calls.at(-1)).toMatchObject({ tool: 'list_allocations', args: { project: 'blog' } });
  });

  it('the answer of a guessed look-up begins with how the planner understood the message', () => {
    const chat = talk();
    const [reply] = chat.turn('which ports are taken on web-1, asks the landlord');
    expect(reply?.text).toMatch(/^I took that as: List allocations: server web-1\.\n\nran list_allocations/);
    expect(chat.turn('list the servers')[0]?.text).toMatch(/^ran list_managed_servers/);
  });

  it('a complete request is not mistaken for a new value of the look-up', () => {
    const chat = allocations();
    chat.turn('tell me about shop');
    expect(chat.calls.at(-1)).toEqual({ tool: 'get_project_status', args: { project: 'shop' } });
  });
});

describe('questions about a topic', () => {
  const found = {
    hits: [{ source: 'docs/approvals.md › Cards', excerpt: 'An approval is a row.', scope: 'docs', relevance: 0.9 }],
    unavailable: ['code'],
  };

  it('are searched in the knowledge base, and answered with the source', () => {
    const chat = talk({ run: () => ({ ok: true, result: found }) });
    expect(onlyText(chat.turn('how do approvals work?'))).toBe(
      'This is what I found:\n- An approval is a row. (docs/approvals.md › Cards)',
    );
    expect(chat.calls).toEqual([{ tool: 'search_knowledge', args: { query: 'how do approvals work?', scope: 'all' } }]);
  });

  it('are answered that nothing was found when no source fits the question', () => {
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

describe('the planner in place of a model that does not answer', () => {
  const standIn = () => {
    const chat = talk({ loaded: [] });
    chat.standIn();
    return chat;
  };

  it.each(['release port 3001 on web-1', 'allocate a port', 'allocate a port for shop on web-1, maybe'])(
    'refuses the change “%s” and calls nothing',
    (order) => {
      const chat = standIn();
      expect(onlyText(chat.turn(order))).toMatch(/^I did not do this: .*Please ask again in a few minutes\.$/s);
      expect(chat.calls).toEqual([]);
    },
  );

  it('carries out look-ups', () => {
    const chat = standIn();
    chat.turn('list the servers');
    expect(chat.calls.map(({ tool }) => tool)).toEqual(['request_capabilities', 'list_managed_servers']);
  });

  it('does not carry out a change that was ordered before the model failed', () => {
    const chat = talk();
    chat.turn('release a port on web-1');
    const before = chat.calls.length;
    chat.standIn();
    chat.turn('3001');
    expect(chat.calls).toHaveLength(before);
  });
});
