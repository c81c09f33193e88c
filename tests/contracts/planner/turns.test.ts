import { describe, expect, it } from 'vitest';
import catalog from '../../../shared/planner/src/catalog.fixture.json' with { type: 'json' };
import { createConversation, type Reply, type Situation } from './conversation.ts';
import { PlannerMark } from '@signalbox/planner/requests/marks';

const talk = (situation?: Situation) => createConversation(catalog, situation);

function onlyText(replies: readonly Reply[]): string {
  expect(replies).toHaveLength(1);
  return replies[0]?.text ?? '';
}

describe('several messages at once', () => {
  it('are answered one after the other, and the last answer ends the turn', () => {
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

  it('are all answered before the planner asks a question about one of them', () => {
    const chat = talk({ run: (tool) => ({ ok: true, result: {}, say: tool }) });
    expect(chat.turn('allocate a port for shop', 'list the projects').map(({ text }) => text)).toEqual([
      'list_projects',
      'On which server?',
    ]);
    chat.turn('web-1');
    expect(chat.calls.at(-1)).toEqual({ tool: 'allocate_port', args: { server: 'web-1', project: 'shop' } });
  });

  it('never lead to more than one question at a time, and the next question follows later', () => {
    const chat = talk();
    expect(chat.turn('allocate a port for shop', 'release port 3001')).toHaveLength(1);
    const replies = chat.turn('web-1');
    expect(chat.calls).toEqual([{ tool: 'allocate_port', args: { server: 'web-1', project: 'shop' } }]);
    expect(replies.at(-1)).toEqual({ text: 'On which server?', choices: ['web-1', 'web-2'] });
    chat.turn('web-2');
    expect(chat.calls.at(-1)).toEqual({ tool: 'release_port', args: { server: 'web-2', port: 3001 } });
  });

  it('are combined when they are two pieces of one request', () => {
    const chat = talk();
    chat.turn('allocate a port for shop', 'on web-2');
    expect(chat.calls).toEqual([{ tool: 'allocate_port', args: { server: 'web-2', project: 'shop' } }]);
  });

  it('are combined when they are more than two pieces of one request', () => {
    const chat = talk();
    chat.turn('allocate a port', 'on web-1', 'for blog');
    expect(chat.calls).toEqual([{ tool: 'allocate_port', args: { server: 'web-1', project: 'blog' } }]);
  });

  it('with thanks among them do not finish the task while another message is unanswered', () => {
    const chat = talk();
    chat.turn('list the servers');
    const replies = chat.turn('thanks', 'list the projects');
    expect(replies[0]?.text).toBe("You're welcome.");
    expect(chat.calls.map(({ tool }) => tool)).not.toContain('finish_task');
  });
});

describe('several requests in one message', () => {
  it('are carried out one after the other', () => {
    const chat = talk({ run: (tool) => ({ ok: true, result: {}, say: tool }) });
    const replies = chat.turn('list the servers, then show the status of shop and list the projects');
    expect(replies.map(({ text }) => text)).toEqual(['list_managed_servers', 'get_project_status', 'list_projects']);
  });

  it('may refer to something that an earlier request created', () => {
    const chat = talk();
    chat.turn('create a project called radio and allocate a port for it on web-1');
    expect(chat.calls).toEqual([]);
    chat.turn('internet radio');
    expect(chat.calls).toEqual([
      { tool: 'create_project_intent', args: { name: 'radio', description: 'internet radio' } },
      { tool: 'allocate_port', args: { server: 'web-1', project: 'radio' } },
    ]);
  });

  it('are not split at an "and" inside a description', () => {
    const chat = talk();
    chat.turn('create a project called garden for plants and flowers');
    expect(chat.calls[0]?.args).toEqual({ name: 'garden', description: 'plants and flowers' });
  });

  it('store how they were split in the history, so that they are never split in another way', () => {
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
    '“%s” finishes the task whose result was shown',
    (thanks) => {
      const chat = talk({ run: () => ({ ok: true, result: {}, say: 'I created **garden**.\nMore.' }) });
      chat.turn('create a project called garden for plants');
      chat.turn(thanks);
      expect(chat.calls.at(-1)).toEqual({ tool: 'finish_task', args: { summary: 'I created garden.' } });
    },
  );

  it('finish no task when no result was shown', () => {
    const chat = talk();
    expect(onlyText(chat.turn('thanks'))).toBe("You're welcome.");
    expect(chat.calls).toEqual([]);
  });

  it('are answered politely when finishing the task is refused', () => {
    const chat = talk({
      run: (tool) =>
        tool === 'finish_task' ? { ok: false, error: 'TOOL_INPUT_INVALID', say: 'no' } : { ok: true, say: 'ok' },
    });
    chat.turn('list the servers');
    chat.turn('thanks');
    expect(chat.next()).toMatchObject({ content: "You're welcome.", toolCalls: [] });
  });

  it('in a longer message do not finish the task', () => {
    const chat = talk();
    chat.turn('list the servers');
    chat.turn('thanks, and now list the projects please');
    expect(chat.calls.at(-1)?.tool).toBe('list_projects');
  });
});
