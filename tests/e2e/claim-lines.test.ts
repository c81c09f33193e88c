import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startModelServer, type AskedMessage, type ModelAnswer, type ModelServer } from '../support/model-server.ts';
import type { Person } from '../support/person.ts';
import { openStack, type Stack } from '../support/stack.ts';

// Each text of a model is judged by itself, by what was known when it was written, and its line stands below it.

let model: ModelServer;
let stack: Stack;
/** Of a new conversation in each test. */
let ada: Person;
let owner: Person;
let answer: (messages: readonly AskedMessage[]) => ModelAnswer;
let round = 0;

beforeAll(async () => {
  model = await startModelServer((messages, tools) => {
    const args = { task_summary: 'work', capabilities: ['project_management', 'deploy'], project: null };
    return tools.includes('classify_intent') ? { toolCalls: [{ name: 'classify_intent', args }] } : answer(messages);
  });
  stack = await openStack({
    jobs: true,
    env: { MODEL: 'openai', OPENAI_API_KEY: 'test', OPENAI_BASE_URL: model.url },
  });
});
beforeEach(async () => {
  round += 1;
  ada = await stack.person(1000 + round, 'developer');
  // The people stay with English, whatever they write.
  await ada.ask('/language en');
  if (round > 1) return;
  owner = await stack.person(1001, 'developer');
  await owner.ask('/language en');
  await stack.pool.query(
    `insert into projects (name, description, owner, action_id) values ('shop', 'The tea shop.', '1001', 'act_shop')`,
  );
  await stack.pool.query(`insert into services (project, environment, server) values ('shop', 'staging', 'local')`);
});
afterAll(async () => {
  await stack.close();
  await model.close();
});

const NOTHING = '🧾 Nothing was changed.';
const isResult = (messages: readonly AskedMessage[]): boolean => messages.at(-1)?.role === 'tool';
/** Says this beside a look-up, and that afterwards. */
const beside = (text: string, name: string, after: string, args: object = {}): void => {
  answer = (messages) => (isResult(messages) ? { content: after } : { content: text, toolCalls: [{ name, args }] });
};

const FALSE: readonly [string, string][] = [
  ['status?', 'I deployed shop 1.4.2 to production.'],
  ['status?', 'I created the project shop for you.'],
  ['status?', 'I stopped shop in staging.'],
  ['status?', 'Ich habe shop in Staging gestoppt.'],
  ['status?', 'LOG_LEVEL of shop in staging is debug now.'],
  ['status?', 'LOG_LEVEL ist jetzt debug.'],
  ['create a project called tea', 'I created tea for you.'],
  ['lege bitte das Projekt tea an', 'Das Projekt tea ist angelegt.'],
];

describe('a false claim of a model about its own work', () => {
  // Ada owns shop and its prompt says so; to the others it is somebody else's.
  it.each(FALSE)('gets the line “nothing was changed” when it is the whole answer: %s → %s', async (asked, text) => {
    answer = () => ({ content: text });
    expect(await owner.ask(asked)).toEqual([`${text}\n\n${NOTHING}`]);
    expect(await ada.ask(asked)).toEqual([`${text}\n\n${NOTHING}`]);
  });

  it.each(FALSE)(
    'gets the line “nothing was changed”, and the text after a look-up gets none: %s → %s',
    async (asked, text) => {
      beside(text, 'list_projects', 'Anything else?');
      expect(await ada.ask(asked)).toEqual([`${text}\n\n${NOTHING}`, 'Anything else?']);
    },
  );

  it('gets the line “nothing was changed” beside a look-up when it claims more than the look-up found', async () => {
    const text = 'I deployed shop 1.4.2 to production.';
    beside(text, 'list_projects', 'Here: shop.', { project: 'shop' });
    expect(await ada.ask('status?')).toEqual([`${text}\n\n${NOTHING}`, 'Here: shop.']);
  });
});

describe('an ordinary conversation', () => {
  it.each([
    ['hello', 'Hello! What shall we do?'],
    ['what is a project?', 'A project is a repository with its services. I can create projects and deploy them.'],
    ['thanks', 'You’re welcome!'],
    ['deploy shop', 'Which version of shop, and where?'],
  ])('gets no line “nothing was changed”: %s → %s', async (asked, text) => {
    answer = () => ({ content: text });
    expect(await ada.ask(asked)).toEqual([text]);
  });

  it('gets no line “nothing was changed” below a look-up’s result or its announcement', async () => {
    answer = (messages) =>
      isResult(messages)
        ? { content: 'There is one: shop.' }
        : { content: 'I look.', toolCalls: [{ name: 'list_projects', args: {} }] };
    expect(await ada.ask('which projects are there?')).toEqual(['I look.', 'There is one: shop.']);
    answer = (messages) =>
      isResult(messages)
        ? { content: 'It is shop, for tea.' }
        : { content: 'Let me look at shop.', toolCalls: [{ name: 'get_project_status', args: { project: 'shop' } }] };
    expect(await ada.ask('what is shop?')).toEqual(['Let me look at shop.', 'It is shop, for tea.']);
  });
});
