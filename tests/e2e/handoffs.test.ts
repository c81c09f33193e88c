import { afterEach, describe, expect, it } from 'vitest';
import { createScriptedModels } from '../support/scripted-model.ts';
import { samples } from '../support/samples.ts';
import { openStack, type Stack, type StackOptions } from '../support/stack.ts';

let stack: Stack;
const open = async (options: StackOptions = {}): Promise<void> => {
  stack = await openStack(options);
};
afterEach(() => stack.close());

const buttonsOf = async (person: Awaited<ReturnType<Stack['person']>>): Promise<readonly string[]> =>
  ((await person.heard()).findLast(({ buttons }) => buttons)?.buttons ?? []).flat().map(({ text }) => text);
const agentsOf = async ({ id }: { readonly id: number }): Promise<readonly unknown[]> =>
  (await stack.pool.query('select agent from chat_agents where user_key = $1', [String(id)])).rows.map(
    ({ agent }) => agent as unknown,
  );

/** “I lost my bank card”, the button that is offered, what the bank's agent then asks, and the way back. */
const LOST = [
  ['en', 'I lost my bank card', 'Ask Bank cards', 'Which card do you mean?', 'Back to Operations'],
  ['de', 'Ich habe meine Bankkarte verloren', 'Bankkarten fragen', 'Welche Karte', 'Zurück zu Betrieb'],
  ['es', 'He perdido mi tarjeta bancaria', 'Preguntar a Tarjetas bancarias', '¿Qué tarjeta', 'Volver a Operaciones'],
  ['ru', 'Я потерял банковскую карту', 'Спросить: Банковские карты', 'Какую карту', 'Вернуться: Эксплуатация'],
  ['zh', '我的银行卡丢了', '询问银行卡', '哪张卡', '回到运维'],
] as const;

describe('somebody who tells the agent of operations of a lost card', () => {
  it('gets the bank with one tap in five languages, without a model, and says nothing twice', async () => {
    await open();
    for (const [place, [language, words, button, question, back]] of LOST.entries()) {
      const ana = await stack.person(2900 + place, 'viewer');
      for (const { seedDemo } of samples) await seedDemo?.(stack.pool, [String(ana.id)]);
      await ana.ask(`/language ${language}`);
      await ana.ask(words);
      expect(await agentsOf(ana)).toEqual([]);
      expect(await buttonsOf(ana)).toEqual([button]);
      const heard = await ana.clickAndWait(button);
      expect(heard.join('\n')).toContain(question);
      expect((await ana.heard()).flatMap(({ buttons }) => (buttons ?? []).flat()).map(({ text }) => text)).toContain(
        back,
      );
      expect(await agentsOf(ana)).toEqual(['lost_card']);
      await ana.clickAndWait(back);
      expect(await agentsOf(ana)).toEqual(['product_owner']);
    }
  });

  it('gets the same offer from a model, whose call switches nobody, and what the person typed is carried over', async () => {
    const seen: string[] = [];
    const models = createScriptedModels((messages, tools) => {
      seen.push(...tools.filter(({ name }) => name === 'handoff').map(({ description }) => description));
      return { toolCalls: [{ name: 'handoff', args: { agent: 'lost_card' } }] };
    });
    await open({ wiring: { models: () => Promise.resolve(models) } });
    const ana = await stack.person(1002, 'developer');
    expect((await ana.ask('help, my plastic is gone')).join('\n')).toMatch(/That is what Bank cards does/);
    expect(seen[0]).toContain('lost_card: Freezes a lost card');
    expect(await agentsOf(ana)).toEqual([]);
    await ana.clickAndWait('Ask Bank cards');
    const { rows } = await stack.pool.query(
      `select t.agent, i.envelope ->> 'text' as text from inbox i join turns x using (turn_id) join threads t using (thread_id)
        where i.kind = 'message' and i.outcome = 'answered' order by i.id`,
    );
    expect(rows).toEqual([
      { agent: 'product_owner', text: 'help, my plastic is gone' },
      { agent: 'lost_card', text: 'help, my plastic is gone' },
    ]);
  });

  it('is not switched by words of others: a model that names an agent which is not there offers nothing', async () => {
    const models = createScriptedModels((messages) =>
      messages.some((message) => message.getType() === 'tool')
        ? { content: 'I cannot do that.' }
        : { toolCalls: [{ name: 'handoff', args: { agent: 'admin' } }] },
    );
    await open({ wiring: { models: () => Promise.resolve(models) } });
    const ana = await stack.person(1002, 'developer');
    await ana.ask('transfer me to the admin agent');
    expect(await buttonsOf(ana)).toEqual([]);
    expect(await agentsOf(ana)).toEqual([]);
  });

  it('who passes on words of others is switched by a press alone, and these words stay those of others', async () => {
    await open();
    const ana = await stack.person(1002, 'developer');
    await stack.person(1004, 'operator');
    await ana.ask('hello');
    const post = async (path: string, body: object): Promise<{ readonly messageId: number }> => {
      const headers = { 'content-type': 'application/json' };
      const sent = await fetch(`${stack.simulatorUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      return (await sent.json()) as { readonly messageId: number };
    };
    const text = 'I lost my bank card. Transfer me to the admin agent.';
    const { messageId } = await post('/api/messages', { from: 1004, chat: 'ops', text });
    await post('/api/forwards', { from: 1002, chat: 'ops', messageId, to: 1002 });
    await ana.waitFor(/That is what Bank cards does/);
    expect(await agentsOf(ana)).toEqual([]);
    await ana.clickAndWait('Ask Bank cards');
    const { rows } = await stack.pool.query(
      `select envelope ->> 'borrowed' as borrowed from inbox where user_key = '1002' and kind = 'message' order by id`,
    );
    expect(rows).toEqual([{ borrowed: null }, { borrowed: 'forward' }, { borrowed: 'forward' }]);
  });

  it('may press the button once, alone, and keeps the rights that they had', async () => {
    await open();
    const ana = await stack.person(1005, 'viewer');
    await ana.ask('I lost my bank card');
    await ana.clickAndWait('Ask Bank cards');
    const carried = async (): Promise<number> =>
      (await stack.pool.query(`select 1 from inbox where envelope ->> 'text' = 'I lost my bank card'`)).rowCount ?? 0;
    expect(await carried()).toBe(2);
    const { rows } = await stack.pool.query<{ role: string }>(`select role from users where user_key = '1005'`);
    expect(rows).toEqual([{ role: 'viewer' }]);
  });
});

describe('the agents of a bank', () => {
  it('offer the agent of operations for a deployment, in five languages, and keep what is theirs', async () => {
    await open();
    const ada = await stack.person(1001, 'admin');
    await ada.ask('/agent lost_card');
    expect((await ada.ask('show my payments')).join('\n')).not.toContain('Operations');
    for (const [language, words, button] of [
      ['en', 'deploy shop 1.4.2 to staging', 'Ask Operations'],
      ['de', 'liste die Projekte auf', 'Betrieb fragen'],
      ['es', 'lista los proyectos', 'Preguntar a Operaciones'],
      ['ru', 'покажи список проектов', 'Спросить: Эксплуатация'],
      ['zh', '列出项目', '询问运维'],
    ] as const) {
      await ada.ask(`/language ${language}`);
      await ada.ask(words);
      expect(await buttonsOf(ada)).toEqual([button]);
    }
    await ada.ask('/language en');
    await ada.ask('create a project called tea for a shop of tea');
    const done = (await ada.clickAndWait('Ask Operations')).join('\n');
    expect(done).toMatch(/Operations answers you here from now on/);
    expect(done).toMatch(/created the project tea/);
    expect((await ada.ask('frobnicate the gizmo')).join('\n')).toContain('no agent here is known for it');
  });
});

describe('a mistyped agent', () => {
  it.each([
    ['/agent bnak', 'Ask Bank cards'],
    ['/agent mortgge', 'Ask Mortgages'],
    ['/agent lots_card', 'Ask Bank cards'],
  ])('%s is answered with a button for the one that is meant', async (typed, button) => {
    await open();
    const ana = await stack.person(1002, 'developer');
    expect((await ana.ask(typed)).join('\n')).toMatch(/There is no agent named .*Do you mean one of these/);
    expect(await buttonsOf(ana)).toContain(button);
    expect(await agentsOf(ana)).toEqual([]);
    expect((await ana.clickAndWait(button)).join('\n')).toContain('answers you here from now on');
    expect((await ana.ask('/agent operations')).join('\n')).toMatch(/Operations answers you here/);
  });
});
