import { describe, expect, it } from 'vitest';
import { runInLanguage } from '@signalbox/messages/language';
import { PriorContext, explainMessage } from '@signalbox/planner/explanation';
import { createRegistry, loadCapabilities } from '@signalbox/worker/tools/registry';

const { catalog } = createRegistry(await loadCapabilities());
const story = PriorContext.parse({ names: { project: ['shop', 'todo'], server: ['local'] } });
const ask = (text: string) => {
  const { calls, question } = explainMessage(catalog, text, story);
  return { calls, readings: question?.readings ?? [] };
};

const DEPLOY = { project: 'shop', environment: 'staging', version: '1.4.2' };

describe('a plain order in a language of the product', () => {
  it.each([
    'bitte shop 1.4.2 auf staging ausrollen',
    'despliega shop 1.4.2 en staging',
    'разверни shop 1.4.2 на staging',
    '把 shop 1.4.2 部署到 staging',
  ])('is carried out when each of its words is known: %s', (text) => {
    expect(ask(text).calls).toEqual([{ tool: 'trigger_deploy', arguments: DEPLOY }]);
  });

  it.each([
    'bitte shop 1.4.2 vielleicht auf staging ausrollen',
    'despliega shop 1.4.2 en staging mejor',
    'разверни-ка бы shop 1.4.2 на staging',
    '把 shop 1.4.2 部署到 staging 似的',
  ])('is offered when a word may change its meaning: %s', (text) => {
    const { calls, readings } = ask(text);
    expect(calls).toEqual([]);
    expect(readings[0]).toEqual({ tool: 'trigger_deploy', args: DEPLOY });
  });

  it.each([
    ['Merk dir, dass ich mit Ada auf staging deploye', 'ich mit Ada auf staging deploye'],
    ['Recuerda que despliego los jueves', 'despliego los jueves'],
    ['Запомни, что я деплою по четвергам', 'я деплою по четвергам'],
    ['记住我每周四部署', '我每周四部署'],
  ])('keeps free text as the person wrote it: %s', (text, fact) => {
    const { calls, readings } = ask(text);
    const [first] = [...calls.map(({ arguments: args }) => args), ...readings.map(({ args }) => args)];
    expect(first).toEqual({ fact });
  });

  it.each([
    ['покажи логи shop и список проектов', ['get_service_logs', 'list_projects']],
    ['Zeig mir die Logs von shop und liste die Projekte auf', ['get_service_logs', 'list_projects']],
  ])('may be two orders: %s', (text, tools) => {
    expect(ask(text).calls.map(({ tool }) => tool)).toEqual(tools);
  });
});

describe('an order in a language that the planner does not understand', () => {
  it.each(['distribuisci shop 1.4.2 su staging'])(
    'is offered as a button from the names in it, and not carried out: %s',
    (text) => {
      const { calls, readings } = ask(text);
      expect(calls).toEqual([]);
      expect(readings[0]).toEqual({ tool: 'trigger_deploy', args: DEPLOY });
    },
  );

  it.each(['shop 1.4.2 auf staging?', 'Ben schrieb: shop 1.4.2 staging', '«shop 1.4.2 staging»', 'shop auf staging'])(
    'is not carried out when it is a question, a quotation or incomplete: %s',
    (text) => {
      expect(ask(text).calls.filter(({ tool }) => /^(?:trigger|rollback|stop)/.test(tool))).toEqual([]);
    },
  );
});

describe('a newcomer who greets in a language that the planner does not understand', () => {
  it.each([
    ['es', 'hola, que es esto?', 'Hola.', 'list the projects – ver los proyectos'],
    ['es', 'Hola, ¿qué puedes hacer?', 'Hola.', 'why is shop slow – por qué va lento shop'],
    ['de', 'hallo, was ist das?', 'Hallo.', 'list the servers – alle Server zeigen'],
    ['ru', 'привет, что ты умеешь?', 'Здравствуйте.', 'list the projects – показать проекты'],
    ['zh', '你好，这是什么？', '你好', 'show README.md – 查看文件'],
  ])('is greeted in %s after “%s”, with examples and what they mean', (language, text, hello, example) => {
    const { texts, calls } = runInLanguage(language, () => explainMessage(catalog, text, story));
    expect(calls).toEqual([]);
    expect(texts.join()).toMatch(new RegExp(`^${hello}`));
    expect(texts.join()).toContain(`- ${example}\n`);
    const lines = texts.join().split('\n');
    expect(lines.filter((line) => line.startsWith('- ') && !line.includes(' – '))).toEqual([]);
  });

  it('reads the examples alone in English', () => {
    expect(explainMessage(catalog, 'hello', story).texts.join()).toContain('- list the projects\n');
  });
});

describe('an open question', () => {
  const QUESTIONS = [
    { tool: 'create_project_intent', argument: 'description', arguments: { name: 'garden' } },
    { tool: 'trigger_deploy', argument: 'version', arguments: { project: 'shop', environment: 'staging' } },
    { tool: 'stop_service', argument: 'environment', arguments: { project: 'shop' } },
  ];

  it.each([
    ['list the projects', 'list_projects'],
    ['Zeig mir bitte die Logs von shop', 'get_service_logs'],
    ['¿Qué servicios están en marcha?', 'list_services'],
    ['покажи список проектов', 'list_projects'],
    ['列出服务器', 'list_managed_servers'],
  ])('never swallows a whole new order: %s', (text, tool) => {
    for (const question of QUESTIONS) {
      const asked = PriorContext.parse({ ...story, question, messages: [{ from: 'signalbox', text: 'Which?' }] });
      expect([question.tool, ...explainMessage(catalog, text, asked).calls.map((call) => call.tool)]).toEqual([
        question.tool,
        tool,
      ]);
    }
  });

  it.each([
    ['für Pflanzen und Samen', 'Pflanzen und Samen'],
    ['продавать цветы', 'продавать цветы'],
    ['卖花', '卖花'],
  ])('about free text is answered in the words of the person: %s', (text, description) => {
    const [question] = QUESTIONS;
    const asked = PriorContext.parse({ ...story, question, messages: [{ from: 'signalbox', text: 'What for?' }] });
    const { calls, question: next } = explainMessage(catalog, text, asked);
    const given = calls[0]?.arguments ?? next?.readings?.[0]?.args ?? next?.args;
    expect(given).toMatchObject({ name: 'garden', description });
  });
});

it.each([
  'forget that I deploy on Thursdays',
  'remember that I deploy every day at 9',
  'Vergiss, dass ich jeden Montag deploye',
  'Olvida que despliego los jueves',
  'Запомни, что я деплою по четвергам',
  '忘记我每周四部署',
])('a time in what is remembered or forgotten schedules nothing: %s', (text) => {
  const { calls, readings } = ask(text);
  const tools = [...calls.map(({ tool }) => tool), ...readings.map(({ tool }) => tool)];
  expect(tools.join()).toMatch(/^(?:remember|forget)_fact/);
});
