import { HumanMessage, SystemMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import catalog from './catalog.fixture.json' with { type: 'json' };
import { OfflineChatModel } from './chat-model.ts';

const model = new OfflineChatModel({ catalog: () => catalog, mayChange: true });
const known = { project: ['shop', 'checkout-api'], server: ['web-1'] };
const system = new SystemMessage({
  content: 'You are …',
  additional_kwargs: { facts: { activeGroups: [], known, currentProject: null } },
});
const say = (text: string, id = 'h1') => [system, new HumanMessage({ content: text, id })];
const listServers = { name: 'list_managed_servers', description: '', schema: { type: 'object', properties: {} } };
const classifyIntent = {
  name: 'classify_intent',
  description: 'What is wanted',
  schema: { type: 'object', properties: { task_summary: { type: 'string' } } },
};
const asOpenAi = ({ name, description, schema }: typeof classifyIntent) => ({
  type: 'function',
  function: { name, description, parameters: schema },
});

describe('the offline chat model', () => {
  it.each([
    ['LangChain', listServers],
    ['OpenAI', asOpenAi({ ...classifyIntent, ...listServers } as typeof classifyIntent)],
  ])('accepts tools in the format of %s', async (_, tool) => {
    const answer = await model.bindTools([tool]).invoke(say('list the servers'));
    expect(answer.tool_calls).toMatchObject([{ name: 'list_managed_servers', args: {}, type: 'tool_call' }]);
    expect(answer.additional_kwargs['planner']).toMatchObject({ for: 'h1', done: false });
  });

  it('answers although it has no tools', async () => {
    expect((await model.invoke('hello')).text).toContain('Hello.');
  });

  it('gives its answers the same ids each time for the same history', async () => {
    const bound = model.bindTools([listServers]);
    const [first, second] = await Promise.all([
      bound.invoke(say('list the servers')),
      bound.invoke(say('list the servers')),
    ]);
    expect(first?.tool_calls?.[0]?.id).toBe(second?.tool_calls?.[0]?.id);
    expect(first?.id).toBe(second?.id);
    expect((await bound.invoke(say('list the servers', 'h2'))).id).not.toBe(first?.id);
  });

  it('stops at once when the call is aborted', async () => {
    await expect(model.invoke(say('hello'), { signal: AbortSignal.abort() })).rejects.toThrow();
  });

  it('streams its answer in one piece', async () => {
    const pieces: string[] = [];
    for await (const chunk of await model.stream(say('hello'))) pieces.push(chunk.text);
    expect(pieces.join('')).toContain('Hello.');
  });
});

describe("the offline planner's classification of a message", () => {
  const classify = async (...texts: string[]) => {
    const messages = texts.map((text, at) => new HumanMessage({ content: text, id: `h${at}` }));
    const answer = await model.bindTools([asOpenAi(classifyIntent)]).invoke([system, ...messages]);
    expect(answer.tool_calls).toHaveLength(1);
    return answer.tool_calls?.[0]?.args;
  };

  it("names the tool groups it needs, the task in the person's own words, and the project", async () => {
    expect(await classify('Allocate a port for Shop on web-1')).toEqual({
      task_summary: 'Allocate a port for Shop on web-1',
      capabilities: ['infrastructure'],
      project: 'shop',
    });
  });

  it('names a tool group even if the group is not installed', async () => {
    expect(await classify('deploy shop to production')).toMatchObject({ capabilities: ['deploy'], project: 'shop' });
  });

  it('finds several requests in one message and in several messages', async () => {
    const both = ['project_management', 'infrastructure'];
    expect(await classify('create a project called garden for plants, then list the servers')).toMatchObject({
      capabilities: both,
    });
    expect(await classify('hello', 'list the projects', 'list the servers')).toMatchObject({
      capabilities: both,
      task_summary: 'list the projects',
    });
  });

  it.each(['hello', '', 'thanks', '🙂', 'x'.repeat(5_000)])(
    'names no tool group for the message “%.20s”',
    async (text) => {
      const args = await classify(text);
      expect(args).toMatchObject({ capabilities: [], project: null });
      expect(String(args?.['task_summary']).length).toBeLessThanOrEqual(80);
    },
  );

  it('keeps the summary of the task on one line of at most 80 characters', async () => {
    const args = await classify(`list the\nservers ${'and more '.repeat(30)}`);
    expect(args?.['task_summary']).toMatch(/^list the servers and .{0,60}…$/);
  });
});
