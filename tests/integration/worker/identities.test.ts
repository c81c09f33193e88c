import { ToolMessage, type BaseMessage } from '@langchain/core/messages';
import { makeAnswerId, makeCallId } from '@signalbox/contracts/ids';
import type { ModelScript, ScriptedAnswer } from '../../support/scripted-model.ts';
import { tool, toolGroup } from '@signalbox/worker/tools/tool';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { checkReplay } from '../../support/replay-check.ts';
import { openWorkerBench, type WorkerBench } from '../../support/worker.ts';

const isParser = (tools: readonly { readonly name: string }[]): boolean =>
  tools.some((one) => one.name === 'classify_intent');
const intent: ScriptedAnswer = {
  toolCalls: [{ name: 'classify_intent', args: { task_summary: 'test', capabilities: ['papers'], project: null } }],
};
const lastWords = (messages: readonly BaseMessage[]): string =>
  messages.findLast((message) => message.getType() === 'human')?.text ?? '';
/** What was said to a call since the person spoke. */
const answered = (messages: readonly BaseMessage[]): string[] => {
  const from = messages.findLastIndex((message) => message.getType() === 'human');
  return messages
    .slice(from)
    .filter(ToolMessage.isInstance)
    .map((message) => message.text);
};

const papers = toolGroup({
  name: 'papers',
  summary: 'Papers that are written and read.',
  uses: [],
  tools: {
    open_paper: tool({
      describe: 'Open a paper.',
      hints: ['open the paper alpha', 'show me the paper beta', 'read paper gamma'],
      input: z.object({ paper: z.string() }),
      risk: 'sensitive',
      role: 'viewer',
      egress: false,
      deadlineMs: 5_000,
      replay: 'harmless',
      run: async ({ paper }) => ({ text: `the text of ${paper}` }),
      phrases: { done: (_output, { paper }) => `Opened ${paper}.` },
    }).from({ text: 'runtime' }),
  },
});

/** A server that calls every answer, and every call, the same. */
const SAME = { id: 'chatcmpl-7' };
const call = (name: string, args: Record<string, unknown>): ScriptedAnswer => ({
  ...SAME,
  toolCalls: [{ id: 'call_0', name, args }],
});
const opens: ModelScript = (messages, tools) => {
  if (isParser(tools)) return intent;
  const [result] = answered(messages);
  if (result === undefined) return call('open_paper', { paper: lastWords(messages) });
  return { ...SAME, content: `Here it is: ${result}` };
};

describe('a model server that repeats one id in all of its answers', () => {
  let bench: WorkerBench;
  beforeEach(async () => {
    bench = await openWorkerBench();
    await bench.addPerson('7', 'developer');
    await bench.addPerson('8', 'developer');
  });
  afterEach(async () => {
    await checkReplay(bench.pool, [papers]);
    await bench.close();
  });

  const start = (script: ModelScript) => bench.startWorker({ script, wiring: { groups: [papers] } });
  const ask = async (userKey: string, text: string): Promise<string[]> => {
    await bench.ask(userKey, text);
    return bench.replies(userKey);
  };

  it('gives nobody the result of another person, and every effect has its row and audit events', async () => {
    await start(opens);
    expect((await ask('7', 'salaries')).join()).toContain('the text of salaries');
    const replies = (await ask('8', 'menu')).join();
    expect(replies).toContain('the text of menu');
    expect(replies).not.toContain('salaries');
    const { rows } = await bench.pool.query(
      `select user_key, arguments ->> 'paper' as paper,
              (select array_agg(e.kind order by e.event_id) from audit_events e where e.action_id = a.action_id) as events
         from actions a order by proposed_at`,
    );
    const events = ['action.decided', 'action.started', 'action.settled'];
    expect(rows).toEqual([
      { user_key: '7', paper: 'salaries', events },
      { user_key: '8', paper: 'menu', events },
    ]);
  });

  it('has every tool call of one conversation run and answered', async () => {
    await start(opens);
    await ask('7', 'alpha');
    const replies = await ask('7', 'beta');
    expect(replies.filter((text) => text.includes('the text of alpha'))).toHaveLength(1);
    expect(replies.at(-1)).toContain('the text of beta');
    expect((await bench.pool.query('select 1 from actions')).rowCount).toBe(2);
  });

  it('has every answer of one conversation sent, including answers without a tool call', async () => {
    await start((messages, tools) =>
      isParser(tools) ? intent : { ...SAME, content: `You said ${lastWords(messages)}.` },
    );
    await ask('7', 'one');
    expect(await ask('7', 'two')).toEqual(['You said one.', 'You said two.']);
  });

  it("does not get the result of another person's action that has the same id", async () => {
    await bench.pool.query(
      `insert into actions (action_id, turn_id, thread_id, user_key, tool, arguments, epoch, status, result)
       values ($1, 't', 'user_8_1', '8', 'open_paper', '{"paper": "menu"}', 1, 'done', '{"result": "salaries of all"}')`,
      [makeCallId(makeAnswerId('user_7_1', 'telegram:100:1', 1), 0)],
    );
    await start(opens);
    const replies = await ask('7', 'menu');
    expect(replies).toEqual([expect.stringMatching(/^I stopped before open_paper: .* Please ask again\.$/)]);
    const { rows } = await bench.pool.query(
      `select kind, actor, data ->> 'differs' as differs from audit_events where kind = 'action.refused'`,
    );
    expect(rows).toEqual([{ kind: 'action.refused', actor: '7', differs: 'person, conversation' }]);
    expect(await ask('7', 'menu')).toContainEqual(expect.stringContaining('the text of menu'));
  });

  it('has its id in the record of the turn, beside an id that Signalbox generated', async () => {
    await start(opens);
    await ask('7', 'alpha');
    const { rows } = await bench.pool.query<{ given: string; own: string }>(
      `select record -> 'answer' ->> 'modelId' as given, record -> 'answer' ->> 'id' as own from execution_turns order by pass`,
    );
    expect(rows.map(({ given }) => given)).toEqual(['chatcmpl-7', 'chatcmpl-7']);
    expect(new Set(rows.map(({ own }) => own)).size).toBe(2);
  });
});
