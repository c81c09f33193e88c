import { HumanMessage, type BaseMessage } from '@langchain/core/messages';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/until.ts';
import { openWorkerBench, type WorkerBench } from '../../support/worker.ts';

const lastWords = (messages: readonly BaseMessage[]): string => messages.findLast(HumanMessage.isInstance)?.text ?? '';

describe('a turn', () => {
  let bench: WorkerBench;
  beforeAll(async () => {
    bench = await openWorkerBench();
    await bench.startWorker({
      script: (messages, tools) => {
        if (tools.some((tool) => tool.name === 'classify_intent')) {
          return {
            toolCalls: [
              { name: 'classify_intent', args: { task_summary: 'small talk', capabilities: [], project: null } },
            ],
          };
        }
        const words = lastWords(messages);
        if (words === 'thanks') return { toolCalls: [{ name: 'finish_task', args: { summary: 'we talked' } }] };
        if (words === 'ask me')
          return { toolCalls: [{ name: 'respond_to_user', args: { message: 'which one?', awaiting_response: true } }] };
        return { content: `you said ${words}` };
      },
    });
  });
  afterAll(() => bench.close());

  it('answers a message once and settles it', async () => {
    await bench.addPerson('1');
    await bench.say('1', 'hello');
    await eventually(
      () => bench.outcomes('1'),
      (outcomes) => outcomes[0] === 'answered',
    );
    expect(await bench.replies('1')).toEqual(['you said hello']);
    const { rows } = await bench.pool.query(`select thread_id, outcome, passes, model from turns where user_key = '1'`);
    expect(rows).toEqual([{ thread_id: 'user_1_1', outcome: 'answered', passes: 1, model: 'scripted' }]);
  });

  it('continues the same thread after a question, and starts the next one after "thanks"', async () => {
    await bench.addPerson('2');
    for (const [index, text] of ['ask me', 'the first', 'thanks', 'again'].entries()) {
      await bench.say('2', text);
      await eventually(
        () => bench.outcomes('2'),
        (outcomes) => outcomes[index] === 'answered',
      );
    }
    const { rows } = await bench.pool.query(
      `select thread_id, status, awaiting from threads where user_key = '2' order by n`,
    );
    expect(rows).toEqual([
      { thread_id: 'user_2_1', status: 'finished', awaiting: false },
      { thread_id: 'user_2_2', status: 'open', awaiting: false },
    ]);
    expect(await bench.replies('2')).toEqual([
      'which one?',
      'you said the first',
      'Glad to help. I closed this task; your next message starts a new one.',
      'you said again',
    ]);
  });
});
