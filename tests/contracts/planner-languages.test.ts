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

describe('an order in a language that the planner does not understand', () => {
  it.each([
    'bitte shop 1.4.2 auf staging ausrollen',
    'despliega shop 1.4.2 en staging',
    'разверни shop 1.4.2 на staging',
    '把 shop 1.4.2 部署到 staging',
    'distribuisci shop 1.4.2 su staging',
  ])('is offered as a button from the names in it, and not carried out: %s', (text) => {
    const { calls, readings } = ask(text);
    expect(calls).toEqual([]);
    const args = { project: 'shop', environment: 'staging', version: '1.4.2' };
    expect(readings[0]).toEqual({ tool: 'trigger_deploy', args });
  });

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
