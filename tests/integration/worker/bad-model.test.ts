import { ToolMessage, type BaseMessage } from '@langchain/core/messages';
import type { ModelScript, ScriptedAnswer } from '../../support/scripted-model.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../support/until.ts';
import { openWorkerBench, type WorkerBench } from '../../support/worker.ts';

const intent = (...capabilities: string[]): ScriptedAnswer => ({
  toolCalls: [{ name: 'classify_intent', args: { task_summary: 'test', capabilities, project: null } }],
});
const isParser = (tools: readonly { readonly name: string }[]): boolean =>
  tools.some((tool) => tool.name === 'classify_intent');
const results = (messages: readonly BaseMessage[]): string[] =>
  messages.filter(ToolMessage.isInstance).map((message) => message.text);

describe('a model that misbehaves', () => {
  let bench: WorkerBench;
  beforeEach(async () => {
    bench = await openWorkerBench();
    await bench.addPerson('7', 'developer');
  });
  afterEach(() => bench.close());

  const ask = async (script: ModelScript, env: Record<string, string> = {}): Promise<string[]> => {
    await bench.startWorker({ script, env });
    await bench.say('7', 'do it');
    await eventually(
      () => bench.outcomes('7'),
      (all) => all[0] !== null,
    );
    return bench.replies('7');
  };

  it('that calls a tool that does not exist is told so, and can try another call', async () => {
    const replies = await ask((messages, tools) => {
      if (isParser(tools)) return intent();
      if (results(messages).length === 0) return { toolCalls: [{ name: 'launch_rocket', args: {} }] };
      return { content: `I was told: ${results(messages)[0]}` };
    });
    expect(replies[0]).toContain('There is no tool named launch_rocket');
  });

  it('that gives wrong arguments is told so, and no tool runs', async () => {
    const replies = await ask((messages, tools) => {
      if (isParser(tools)) return intent('project_management');
      if (results(messages).length === 0) return { toolCalls: [{ name: 'create_project_intent', args: { name: 42 } }] };
      return { content: `I was told: ${results(messages)[0]}` };
    });
    expect(replies[0]).toContain('TOOL_INPUT_INVALID');
    expect((await bench.pool.query('select 1 from projects')).rowCount).toBe(0);
    expect((await bench.pool.query('select 1 from actions')).rowCount).toBe(0);
  });

  it('that gives an empty answer twice leads to one plain sentence', async () => {
    const replies = await ask((_, tools) => (isParser(tools) ? { content: 'garbage' } : { content: '  ' }));
    expect(replies).toEqual([
      'The language model gave no usable answer, so I stopped. Please say it again in other words.',
    ]);
  });

  it('that never stops calling tools is stopped at the pass limit, with a list of what was done', async () => {
    const replies = await ask(
      (messages, tools) =>
        isParser(tools)
          ? intent('project_management')
          : {
              toolCalls: [
                {
                  name: 'create_project_intent',
                  args: { name: `p${results(messages).length}-x`, description: 'loop' },
                },
              ],
            },
      { MAX_PASSES: '4' },
    );
    expect(replies).toHaveLength(1);
    expect(replies[0]).toMatch(/^I stopped after 4 steps/);
    expect(replies[0]).toContain('p0-x');
    const { rows } = await bench.pool.query('select outcome, passes from turns');
    expect(rows).toEqual([{ outcome: 'limit', passes: 4 }]);
    expect((await bench.pool.query('select 1 from projects')).rowCount).toBe(4);
  });

  it('that is unavailable leads to one sentence, and the next message is answered', async () => {
    let down = true;
    const replies = await ask((_, tools) => {
      if (down) return { throw: Object.assign(new Error('boom'), { status: 503 }) };
      return isParser(tools) ? intent() : { content: 'back again' };
    });
    expect(replies[0]).toMatch(/^The language model is not answering/);
    down = false;
    await bench.say('7', 'again');
    await eventually(
      () => bench.replies('7'),
      (all) => all.includes('back again'),
    );
    expect(await bench.outcomes('7')).toEqual(['answered', 'answered']);
  });

  it('that calls finish_task before it showed anything has the call refused', async () => {
    const replies = await ask((messages, tools) => {
      if (isParser(tools)) return intent();
      if (results(messages).length === 0)
        return { toolCalls: [{ name: 'finish_task', args: { summary: 'all done' } }] };
      return { content: 'sorry' };
    });
    expect(replies).toEqual(['sorry']);
    expect((await bench.pool.query(`select status from threads`)).rows).toEqual([{ status: 'open' }]);
  });

  it('cannot do what the person may not do', async () => {
    await bench.addPerson('8', 'viewer');
    await bench.startWorker({
      script: (messages, tools) => {
        if (isParser(tools)) return intent('project_management');
        if (results(messages).length === 0)
          return { toolCalls: [{ name: 'create_project_intent', args: { name: 'mine', description: 'x' } }] };
        return { content: results(messages)[0] ?? '' };
      },
    });
    await bench.say('8', 'create it');
    const [reply] = await eventually(
      () => bench.replies('8'),
      (all) => all.length > 0,
    );
    expect(reply).toContain('NOT_PERMITTED');
    expect((await bench.pool.query('select 1 from projects')).rowCount).toBe(0);
  });

  it('that repeats a call id has both calls run', async () => {
    const replies = await ask((messages, tools) => {
      if (isParser(tools)) return intent('project_management');
      const n = results(messages).length;
      if (n < 2)
        return {
          toolCalls: [{ id: 'call_1', name: 'create_project_intent', args: { name: `twin-${n}`, description: 'x' } }],
        };
      return { content: 'both' };
    });
    expect(replies.at(-1)).toBe('both');
    const { rows } = await bench.pool.query<{ name: string }>('select name from projects order by name');
    expect(rows.map((row) => row.name)).toEqual(['twin-0', 'twin-1']);
  });
});
