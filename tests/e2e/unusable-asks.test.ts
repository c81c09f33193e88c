import { afterAll, beforeAll, expect, it } from 'vitest';
import { startModelServer, type AskedMessage, type ModelServer } from '../support/model-server.ts';
import type { Person } from '../support/person.ts';
import { openStack, type Stack } from '../support/stack.ts';

let model: ModelServer;
let stack: Stack;
let ada: Person;
let asks: object;
let read: readonly AskedMessage[] = [];

beforeAll(async () => {
  model = await startModelServer((messages, tools) => {
    const args = { task_summary: 'work', capabilities: ['deploy'], project: null };
    if (tools.includes('classify_intent')) return { toolCalls: [{ name: 'classify_intent', args }] };
    read = messages;
    const question = { message: 'Which one do you mean?', awaiting_response: true, asks };
    return messages.at(-1)?.content === 'this one'
      ? { content: 'All right.' }
      : { toolCalls: [{ name: 'respond_to_user', args: question }] };
  });
  const env = { MODEL: 'openai', OPENAI_API_KEY: 'test', OPENAI_BASE_URL: model.url };
  stack = await openStack({ jobs: true, env });
  ada = await stack.person(1001, 'developer');
});
afterAll(async () => {
  await stack.close();
  await model.close();
});

it.each([
  [{ tool: 'trigger_nothing', argument: 'version' }, 'There is no tool trigger_nothing.'],
  [{ tool: 'trigger_deploy', argument: 'colour' }, 'trigger_deploy has no argument colour.'],
  [{ tool: 'trigger_deploy', argument: 'version' }, 'No values of version are known.'],
])('a question about an argument without values is asked as text, and the model learns why: %o', async (given, why) => {
  asks = given;
  expect(await ada.ask('deploy it')).toEqual(['Which one do you mean?']);
  await ada.ask('this one');
  expect(read.filter(({ role }) => role === 'tool').at(-1)?.content).toContain(why);
});
