import { createScriptedModels, type ModelScript } from '../support/scripted-model.ts';
import { AIMessage } from '@langchain/core/messages';
import { afterEach, describe, expect, it } from 'vitest';
import { openStack, type Stack } from '../support/stack.ts';
import { eventually } from '../support/until.ts';

describe('access to the bot', () => {
  let stack: Stack;
  afterEach(() => stack.close());

  it('a stranger with an invitation is let in, uses the bot, and is removed again', async () => {
    stack = await openStack();
    const ada = await stack.person(1001, 'admin');
    const zoe = await stack.person(1009);
    expect((await zoe.ask('create a project called shop')).join()).toMatch(/Ask an admin for an invitation/);
    const [invitation = ''] = await ada.ask('/invite developer Zoe');
    const code = /start=(\S+)/.exec(invitation)?.[1] ?? 'none';
    expect((await zoe.ask(`/start ${code}`)).join()).toMatch(/^Welcome, Zoe/);
    expect(await ada.waitFor(/used your invitation/)).toContain('1009');
    expect((await zoe.ask('create a project called shop for the web shop')).join()).toMatch(/created the project/);
    await ada.ask('/deny 1009');
    await zoe.waitFor(/took your role away/);
    await stack.pool.query(`delete from outbox where key like 'stranger:%'`);
    expect((await zoe.ask('create a project called blog for news')).join()).toMatch(/only work for people I know/);
    const { rows } = await stack.pool.query('select name, owner from projects');
    expect(rows).toEqual([{ name: 'shop', owner: '1009' }]);
  });

  /** Thinks until it is let go on, then creates a project. */
  function hesitant(): { script: ModelScript; goOn: () => void; thinking: () => boolean } {
    let release = (): void => undefined;
    let isThinking = false;
    const pause = new Promise<void>((resolve) => (release = resolve));
    const script: ModelScript = async (messages, tools) => {
      if (tools.some((tool) => tool.name === 'classify_intent')) {
        const args = { task_summary: 'a project', capabilities: ['project_management'], project: null };
        return { toolCalls: [{ name: 'classify_intent', args }] };
      }
      if (messages.some((message) => AIMessage.isInstance(message) && (message.tool_calls ?? []).length > 0))
        return { content: 'That is how it stands.' };
      isThinking = true;
      await pause;
      return { toolCalls: [{ name: 'create_project_intent', args: { name: 'shop', description: 'tea' } }] };
    };
    return { script, goOn: () => release(), thinking: () => isThinking };
  }

  it('a person who is demoted while their turn runs has no further effect', async () => {
    const { script, goOn, thinking } = hesitant();
    stack = await openStack({ wiring: { models: async () => createScriptedModels(script) } });
    const ada = await stack.person(1001, 'admin');
    const ben = await stack.person(1002, 'developer');
    await ben.send('create a project called shop');
    await eventually(async () => thinking(), Boolean);
    await ada.ask('/allow 1002 viewer');
    goOn();
    await ben.waitFor(/That is how it stands/);
    const { rows } = await stack.pool.query(
      'select (select count(*)::int from projects) as projects, (select count(*)::int from actions) as actions',
    );
    expect(rows).toEqual([{ projects: 0, actions: 0 }]);
  });

  it('a turn is stopped when its person loses their role while it runs', async () => {
    const { script, goOn, thinking } = hesitant();
    stack = await openStack({ wiring: { models: async () => createScriptedModels(script) } });
    const ada = await stack.person(1001, 'admin');
    const ben = await stack.person(1002, 'developer');
    await ben.send('create a project called shop');
    await eventually(async () => thinking(), Boolean);
    await ada.ask('/deny 1002');
    expect(await ben.waitFor(/Stopped/)).toContain('Nothing was changed');
    goOn();
    const { rows } = await stack.pool.query(
      `select (select count(*)::int from projects) as projects, (select outcome from inbox where user_key = '1002') as outcome`,
    );
    expect(rows).toEqual([{ projects: 0, outcome: 'stopped' }]);
  });
});
