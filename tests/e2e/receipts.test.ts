import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createPen,
  startModelServer,
  type AskedMessage,
  type ModelAnswer,
  type ModelServer,
} from '../support/model-server.ts';
import type { Person } from '../support/person.ts';
import { openStack, type Stack } from '../support/stack.ts';
import { until } from '../support/until.ts';

// What happened is said by the runtime; a model says what it likes, and its words stay as they are.

let model: ModelServer;
let stack: Stack;
let ada: Person;
let answer: (messages: readonly AskedMessage[]) => ModelAnswer;

const create = (name: string): ModelAnswer => ({
  toolCalls: [{ name: 'create_project_intent', args: { name, description: `The shop that is called ${name}.` } }],
});
const RECEIPT = (what: string): RegExp => new RegExp(`\\n\\n🧾 ${what} · \\d\\d:\\d\\d UTC · /why_[0-9a-z]{8}$`, 'u');
const NOTHING = '🧾 Nothing was changed.';
const said = async (text: string): Promise<string> => (await ada.ask(text)).at(-1) ?? '';

beforeEach(async () => {
  model = await startModelServer((messages, tools) =>
    tools.includes('classify_intent')
      ? {
          toolCalls: [
            {
              name: 'classify_intent',
              args: { task_summary: 'work', capabilities: ['project_management'], project: null },
            },
          ],
        }
      : answer(messages),
  );
  stack = await openStack({
    jobs: true,
    env: { MODEL: 'openai', OPENAI_API_KEY: 'test', OPENAI_BASE_URL: model.url },
  });
  ada = await stack.person(1001, 'developer');
  await stack.pool.query(
    `insert into projects (name, description, owner, action_id) values ('demo', 'The tea shop.', '1001', 'act_demo')`,
  );
});
afterEach(async () => {
  await stack.close();
  await model.close();
});

const isResult = (messages: readonly AskedMessage[]): boolean => messages.at(-1)?.role === 'tool';

describe('a model that reports what did not happen', () => {
  it.each([
    'Ich habe demo 9.9 in Produktion ausgerollt.',
    'demo 9.9 уже работает в продакшене, всё прошло хорошо.',
    'demo 9.9 已经部署到生产环境 ✅',
  ])('keeps its text, and a line below says that nothing was changed: %s', async (text) => {
    answer = () => ({ content: text });
    expect(await said('status?')).toBe(`${text}\n\n${NOTHING}`);
  });

  it('cannot forge a receipt', async () => {
    answer = () => ({ content: '🧾 trigger deploy demo 9.9 production · 23:52 UTC · /why_7c0k2m4q' });
    expect(await said('deploy it')).toBe(
      `▫ trigger deploy demo 9.9 production · 23:52 UTC · /why_7c0k2m4q\n\n${NOTHING}`,
    );
  });

  it('has the line “nothing was changed” below its answer when its call was refused', async () => {
    answer = (messages) => (isResult(messages) ? { content: 'Erledigt, viel Spaß.' } : create('demo'));
    expect(await said('create demo')).toBe(`Erledigt, viel Spaß.\n\n${NOTHING}`);
  });
});

describe('a model that sums up a health check', () => {
  /** Loads the tools that look at services, calls one, and then says this. */
  const afterCheck = (text: string): void => {
    answer = (messages) => {
      const calls = messages.filter(({ role }) => role === 'tool').length;
      if (calls === 0)
        return { toolCalls: [{ name: 'request_capabilities', args: { capabilities: ['diagnose'], reason: 'x' } }] };
      if (calls === 1) return { toolCalls: [{ name: 'check_service_health', args: { project: 'demo' } }] };
      return { content: text };
    };
  };
  beforeEach(async () => {
    await stack.pool.query(
      `insert into services (project, environment, server) values ('demo', 'production', 'local')`,
    );
  });

  it('has no line “nothing was changed” below its answer when the answer states measured values', async () => {
    const text = 'demo in Produktion: nichts läuft dort, 0 Fehler in der letzten Stunde.';
    afterCheck(text);
    expect(await said('ist demo gesund?')).toBe(text);
  });

  it('has the line “nothing was changed” below its answer when the answer states values that were not measured', async () => {
    const text = 'demo 9.9 läuft in Produktion ✅';
    afterCheck(text);
    expect(await said('ist demo gesund?')).toBe(`${text}\n\n${NOTHING}`);
  });
});

it('a completed action has a receipt, which can be opened and is known to the model in later turns', async () => {
  answer = (messages) => (isResult(messages) ? { content: 'Ich habe tea angelegt.' } : create('tea'));
  const first = await said('lege tea an');
  expect(first).toMatch(/^Ich habe tea angelegt\./);
  expect(first).toMatch(RECEIPT('create project tea'));

  answer = () => ({ content: 'Ja, tea wurde vor einer Minute angelegt ✅' });
  expect(await said('wirklich?')).toBe('Ja, tea wurde vor einer Minute angelegt ✅');

  const opened = await said(/\/why_[0-9a-z]+$/.exec(first)?.[0] ?? '');
  expect(opened).toContain('create_project_intent');
  expect(opened).toContain('name: tea');
});

it('a greeting, a question and an example of a command have no line “nothing was changed” below them', async () => {
  for (const text of ['Guten Tag!', 'Welche Version von demo?', 'Schreiben Sie `deploy demo 1.0 to staging`.']) {
    answer = () => ({ content: text });
    expect(await said('hallo')).toBe(text.replaceAll('`', ''));
  }
});

it('a turn that continues after a restart shows the receipt of an action that was done before the restart', async () => {
  const pen = createPen();
  let asked = 0;
  answer = (messages) => {
    if (!isResult(messages)) return create('tea');
    asked += 1;
    return asked === 1 ? { pieces: pen.pieces } : { content: 'tea ist angelegt.' };
  };
  await ada.send('lege tea an');
  await until(() => asked === 1);
  await stack.stop();
  pen.end();
  await stack.start();
  expect(await ada.waitFor(/tea ist angelegt/)).toMatch(RECEIPT('create project tea'));
  const { rows } = await stack.pool.query("select 1 from projects where name = 'tea'");
  expect(rows).toHaveLength(1);
});
