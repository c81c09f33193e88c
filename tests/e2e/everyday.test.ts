import { createScriptedModels } from '../support/scripted-model.ts';
import { afterEach, describe, expect, it } from 'vitest';
import { openStack, type Stack, type StackOptions } from '../support/stack.ts';
import { eventually } from '../support/until.ts';

describe('in everyday use', () => {
  let stack: Stack;
  const open = async (options: StackOptions = {}): Promise<void> => {
    stack = await openStack(options);
  };
  afterEach(() => stack.close());

  it('a conversation that was silent for half an hour is closed, and the next answer mentions this once', async () => {
    await open();
    const ada = await stack.person(1001, 'admin');
    await ada.ask('create a project called shop for the web shop');
    await stack.pool.query(`update threads set last_active_at = now() - interval '31 minutes'`);
    const heard = await ada.ask('list the projects');
    expect(heard[0]).toMatch(/^I closed our earlier conversation about “.*shop.*” after 30 min of silence/);
    expect((await ada.ask('list the servers')).join()).not.toContain('I closed our earlier');
    const { rows } = await stack.pool.query(`select thread_id, status from threads order by n`);
    expect(rows).toEqual([
      { thread_id: 'user_1001_1', status: 'expired' },
      { thread_id: 'user_1001_2', status: 'open' },
    ]);
  });

  it('no answer has a Done button, and a word such as “thanks” closes the task', async () => {
    await open();
    const ada = await stack.person(1001, 'admin');
    await ada.ask('create a project called shop for the web shop');
    const [result] = (await ada.heard()).slice(-1);
    expect(result?.buttons).toBeNull();
    expect(await ada.ask('thanks, that is all')).toEqual([expect.stringContaining('I closed this task')]);
    await ada.ask('list the projects');
    expect((await ada.heard()).at(-1)?.buttons).toBeNull();
    const { rows } = await stack.pool.query(`select thread_id, status from threads order by n`);
    expect(rows).toEqual([
      { thread_id: 'user_1001_1', status: 'finished' },
      { thread_id: 'user_1001_2', status: 'open' },
    ]);
  });

  it('/status and /stop are answered while a turn runs, and /stop ends the turn', async () => {
    const models = createScriptedModels((_messages, tools) =>
      tools.some((tool) => tool.name === 'classify_intent')
        ? { toolCalls: [{ name: 'classify_intent', args: { task_summary: 'think', capabilities: [], project: null } }] }
        : { content: 'too late', delayMs: 60_000 },
    );
    await open({ wiring: { models: () => Promise.resolve(models) } });
    const ada = await stack.person(1001, 'admin');
    await ada.send('think about it');
    await eventually(
      async () => (await stack.pool.query('select 1 from lanes where worker is not null')).rowCount,
      (held) => held === 1,
    );
    await ada.send('/status');
    expect(await ada.waitFor(/running|working/i)).toBeTruthy();
    expect((await ada.ask('/stop')).join('\n')).toContain('Stopped. Nothing was changed.');
    const { rows } = await stack.pool.query(`select envelope ->> 'text' as text, outcome from inbox order by id`);
    expect(rows).toEqual([
      { text: 'think about it', outcome: 'stopped' },
      { text: '/status', outcome: 'answered' },
      { text: '/stop', outcome: 'answered' },
    ]);
  });

  it('a group has its own conversation, and the answer is a reply to the question', async () => {
    await open();
    const ada = await stack.person(1001, 'admin');
    await ada.ask('create a project called shop for the web shop');
    await ada.send('@signalbox_bot list the projects', { chat: 'ops' });
    const [answer] = await eventually(
      () => ada.heard('ops'),
      (messages) => messages.length > 0,
    );
    expect(answer?.text).toContain('shop');
    const { rows } = await stack.pool.query<{ chat_key: string; replied: boolean }>(
      `select chat_key, body ? 'replyTo' as replied from outbox order by id`,
    );
    expect(rows.map((row) => row.replied)).toEqual([false, true]);
    const { rows: threads } = await stack.pool.query(
      `select count(distinct chat_key)::int as chats, count(*)::int as threads from threads`,
    );
    expect(threads).toEqual([{ chats: 2, threads: 2 }]);
  });

  it('questions are answered from the documentation, with the source', async () => {
    await open({ jobs: true });
    const ada = await stack.person(1001, 'admin');
    await ada.ask('index the docs');
    await ada.waitFor(/documentation is indexed/);
    const [answer] = await ada.ask('how do I add a capability?');
    expect(answer).toMatch(/docs\/extending\/tools\.md/);
  });

  it('several messages that come at once are all answered, one after the other', async () => {
    await open();
    const ada = await stack.person(1001, 'admin');
    await ada.send('create a project called shop for the web shop');
    await ada.send('create a project called blog for company news');
    const heard = await ada.ask('list the projects');
    expect(heard.at(-1)).toMatch(/blog[^]*shop/);
    const all = (await ada.heard()).map((message) => message.text);
    expect(all).toHaveLength(3);
    expect(all[0]).toContain('shop');
    expect(all[1]).toContain('blog');
  });

  it('unreadable and unknown updates do not disturb the messages of other people', async () => {
    await open();
    const ada = await stack.person(1001, 'admin');
    for (const update of [
      {},
      { message: 'nonsense' },
      { message: { chat: 1 } },
      { brand_new_kind: { a: 1 } },
      { callback_query: { id: '1', data: 'x' } },
    ]) {
      await fetch(`${stack.simulatorUrl}/api/updates`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ update }),
      });
    }
    await ada.send('x'.repeat(1_000_000), { raw: true });
    expect(await ada.waitFor(/characters/)).toMatch(/I read up to 16,000/);
    expect((await ada.ask('list the servers')).join()).toContain('local');
    const { rows } = await stack.pool.query(
      `select outcome, length(envelope::text) < 2000 as short from inbox order by id`,
    );
    expect(rows).toEqual([
      { outcome: 'refused', short: true },
      { outcome: 'answered', short: true },
    ]);
  });
});
