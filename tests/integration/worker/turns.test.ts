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
      script: (messages) => {
        const words = lastWords(messages);
        if (words === 'thanks') return { toolCalls: [{ name: 'finish_task', args: { summary: 'we talked' } }] };
        if (words === 'ask me')
          return { toolCalls: [{ name: 'respond_to_user', args: { message: 'which one?', awaiting_response: true } }] };
        return { content: `you said ${words}` };
      },
    });
  });
  afterAll(() => bench.close());

  it('answers a message once and marks it as answered', async () => {
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

  it('stores its data in its own record, not in the state of the conversation', async () => {
    await bench.addPerson('20');
    for (const [index, text] of ['hello', 'hello again'].entries()) {
      await bench.say('20', text);
      await eventually(
        () => bench.outcomes('20'),
        (outcomes) => outcomes[index] === 'answered',
      );
    }
    const { rows: states } = await bench.pool.query<{ values: object }>(
      `select checkpoint -> 'values' as values from langgraph.checkpoints where thread_id = 'user_20_1' order by checkpoint_id desc limit 1`,
    );
    expect(states[0]?.values).toHaveProperty('activeCapabilities');
    expect(states[0]?.values).toMatchObject({ record: '[]' });
    const { rows: records } = await bench.pool.query(
      `select turn_id from audit_events where kind = 'turn.recorded' and thread_id = 'user_20_1'`,
    );
    expect(records).toHaveLength(2);
  });

  it('continues the thread after a question, and the next turn starts a new thread after "thanks"', async () => {
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

  it('reports the end of a job without a model call when its conversation is closed', async () => {
    await bench.addPerson('3');
    await bench.say('3', 'hello');
    await eventually(
      () => bench.outcomes('3'),
      (outcomes) => outcomes[0] === 'answered',
    );
    await bench.say('3', '', { kind: 'new' });
    const envelope = {
      id: 'jobs:jobs:run_1',
      channel: 'jobs',
      bot: 'jobs',
      updateId: 'run_1',
      userKey: '3',
      chatKey: 'telegram:3',
      traceId: 'trc',
      at: new Date().toISOString(),
      kind: 'job-finished',
      runId: 'run_1',
      job: 'knowledge.index',
      threadId: 'user_3_1',
      outcome: 'done',
      say: 'The documentation is indexed.',
    };
    await bench.pool.query(
      `insert into inbox (channel, bot, update_id, user_key, chat_key, kind, envelope, trace_id)
       values ('jobs', 'jobs', 'run_1', '3', 'telegram:3', 'job-finished', $1, 'trc')`,
      [JSON.stringify(envelope)],
    );
    await bench.wake('3');
    await eventually(
      () => bench.outcomes('3'),
      (outcomes) => outcomes.length === 3 && outcomes.every((outcome) => outcome === 'answered'),
    );
    expect((await bench.replies('3')).at(-1)).toBe('The documentation is indexed.');
    const { rows } = await bench.pool.query(
      `select outcome, thread_id from turns where user_key = '3' order by started_at`,
    );
    expect(rows).toEqual([
      { outcome: 'answered', thread_id: 'user_3_1' },
      { outcome: 'notice', thread_id: null },
    ]);
  });
});
