import { ToolMessage } from '@langchain/core/messages';
import type { ModelScript } from '../../support/scripted-model.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { echo, humans, intent } from '../../support/echo.ts';
import { eventually } from '../../support/until.ts';
import { openWorkerBench, type WorkerBench } from '../../support/worker.ts';

describe('lanes', () => {
  let bench: WorkerBench;
  const allSettled = (people: readonly string[]) => async () => {
    const outcomes = await Promise.all(people.map((person) => bench.outcomes(person)));
    return outcomes.flat();
  };
  beforeEach(async () => {
    bench = await openWorkerBench();
  });
  afterEach(() => bench.close());

  it('three workers answer each message of 40 people exactly once and in order, in numbered threads', async () => {
    const people = Array.from({ length: 40 }, (_, i) => `5${i}`);
    for (let i = 0; i < 3; i++) await bench.startWorker({ script: echo(), env: { WORKER_NAME: `w${i}` } });
    for (const person of people) await bench.addPerson(person);
    for (let n = 1; n <= 5; n++) await Promise.all(people.map((person) => bench.say(person, `m${n}`)));
    await eventually(allSettled(people), (all) => all.length === 200 && all.every(Boolean), 50_000);
    for (const person of people)
      expect(await bench.replies(person)).toEqual(['echo m1', 'echo m2', 'echo m3', 'echo m4', 'echo m5']);
    const { rows } = await bench.pool.query(`select outcome, count(*)::int from inbox group by 1`);
    expect(rows.every((row: { outcome: string }) => ['answered', 'merged'].includes(row.outcome))).toBe(true);
    const { rows: threads } = await bench.pool.query(`select max(n) as top, count(*)::int as count from threads`);
    expect(threads).toEqual([{ top: 1, count: 40 }]);
    const { rows: pending } = await bench.pool.query(`select 1 from lanes where worker is not null`);
    expect(pending).toEqual([]);
  });

  it('messages that arrived during an interrupted turn are answered after the messages of that turn', async () => {
    let isSlow = true;
    await bench.startWorker({ script: echo((text) => (text === 'm2' && isSlow ? 30_000 : 0)) });
    await bench.addPerson('68');
    await bench.say('68', 'm1', { silent: true });
    await bench.say('68', 'm2');
    await eventually(
      () => bench.replies('68'),
      (all) => all.length === 1,
    );
    for (const text of ['m3', 'm4', 'm5']) await bench.say('68', text, { silent: true });
    isSlow = false;
    // As if another worker had taken the lane and died: this one drops its turn, and the next begin finds all five.
    await bench.pool.query(
      `update lanes set epoch = epoch + 1, worker = 'gone', lease_until = now() - interval '1 s' where user_key = '68'`,
    );
    await eventually(
      async () => {
        await bench.wake('68');
        return bench.outcomes('68');
      },
      (all) => all.every(Boolean),
    );
    expect(await bench.replies('68')).toEqual(['echo m1', 'echo m2', 'echo m3', 'echo m4', 'echo m5']);
    expect(await bench.outcomes('68')).toEqual(['merged', 'answered', 'merged', 'merged', 'answered']);
  });

  it('a person whose model is slow delays nobody else', async () => {
    await bench.startWorker({ script: echo((text) => (text === 'slow' ? 45_000 : 0)) });
    await bench.addPerson('61');
    await bench.addPerson('62');
    await bench.say('61', 'slow');
    await bench.say('62', 'quick');
    await eventually(
      () => bench.outcomes('62'),
      (all) => all[0] === 'answered',
    );
    expect(await bench.outcomes('61')).toEqual([null]);
  });

  it('/stop ends a running turn and settles earlier messages, and the conversation continues', async () => {
    await bench.startWorker({ script: echo((text) => (text === 'slow' ? 30_000 : 0)) });
    await bench.addPerson('63');
    await bench.say('63', 'slow');
    await eventually(
      async () => (await bench.pool.query(`select 1 from lanes where user_key = '63' and worker is not null`)).rowCount,
      (n) => n === 1,
    );
    await bench.say('63', 'queued behind');
    await bench.stop('63');
    await eventually(
      () => bench.outcomes('63'),
      (all) => all.slice(0, 2).every((outcome) => outcome === 'stopped'),
      10_000,
    );
    expect((await bench.replies('63')).at(-1)).toBe('Stopped. Nothing was changed.');
    await bench.say('63', 'next');
    await eventually(
      () => bench.replies('63'),
      (all) => all.at(-1) === 'echo next',
    );
  });

  it('/new closes the thread, and the next message starts the thread with the next number', async () => {
    await bench.startWorker({ script: echo() });
    await bench.addPerson('64');
    await bench.say('64', 'one');
    await bench.say('64', '', { kind: 'new' });
    await bench.say('64', 'two');
    await eventually(
      () => bench.outcomes('64'),
      (all) => all.length === 3 && all.every((outcome) => outcome === 'answered'),
    );
    const { rows } = await bench.pool.query(`select thread_id, status from threads where user_key = '64' order by n`);
    expect(rows).toEqual([
      { thread_id: 'user_64_1', status: 'closed' },
      { thread_id: 'user_64_2', status: 'open' },
    ]);
  });

  it('a message whose wake-up was lost is still answered', async () => {
    await bench.startWorker({ script: echo() });
    await bench.addPerson('65');
    await bench.say('65', 'silent', { silent: true });
    await eventually(
      () => bench.replies('65'),
      (all) => all.includes('echo silent'),
      15_000,
    );
  });

  it('a worker that lost its lane writes nothing, and the next worker answers once', async () => {
    await bench.startWorker({
      script: echo((text) => (text === 'slow' ? 2_500 : 0)),
      env: { WORKER_NAME: 'frozen', LANE_LEASE_MS: '60000' },
    });
    await bench.addPerson('66');
    await bench.say('66', 'slow');
    await eventually(
      async () => (await bench.pool.query(`select 1 from lanes where user_key = '66' and worker = 'frozen'`)).rowCount,
      (n) => n === 1,
    );
    // As if it had been frozen past its lease: somebody else takes the lane.
    await bench.pool.query(
      `update lanes set lease_until = now() - interval '1 s', worker = 'somebody' where user_key = '66'`,
    );
    await bench.wake('66');
    await eventually(
      () => bench.outcomes('66'),
      (all) => all[0] === 'answered',
      15_000,
    );
    await bench.settle();
    expect(await bench.replies('66')).toEqual(['echo slow']);
    const { rows } = await bench.pool.query(`select epoch from turns where user_key = '66'`);
    expect(rows).toEqual([{ epoch: '2' }]);
  });

  it('a message that breaks every turn becomes a dead letter, and the next message is answered', async () => {
    await bench.startWorker({
      script: (messages, tools, call) => {
        if (humans(messages).some((message) => message.text === 'poison')) throw new TypeError('poison');
        return echo()(messages, tools, call);
      },
    });
    await bench.addPerson('67');
    const id = await bench.say('67', 'poison');
    await eventually(
      () => bench.outcomes('67'),
      (all) => all[0] === 'dead-lettered',
      40_000,
    );
    const { rows } = await bench.pool.query(`select source, ref, user_key from dead_letters`);
    expect(rows).toEqual([{ source: 'inbound', ref: String(id), user_key: '67' }]);
    expect((await bench.replies('67')).at(-1)).toMatch(/could not handle it.*reference dlq_/);
  });

  it('a turn that was interrupted between steps continues from its checkpoint and repeats no step', async () => {
    let modelCalls = 0;
    const script: ModelScript = (messages, tools) => {
      if (tools.some((tool) => tool.name === 'classify_intent')) return intent();
      modelCalls += 1;
      if (!messages.some(ToolMessage.isInstance))
        return { toolCalls: [{ name: 'respond_to_user', args: { message: 'working on it' } }] };
      // The first worker never gets past this call.
      return { content: 'done', delayMs: modelCalls <= 2 ? 30_000 : 0 };
    };
    await bench.startWorker({ script, env: { WORKER_NAME: 'first', LANE_LEASE_MS: '60000' } });
    await bench.addPerson('68');
    await bench.say('68', 'go');
    await eventually(
      () => bench.replies('68'),
      (all) => all.includes('working on it'),
    );
    await eventually(
      async () => modelCalls,
      (calls) => calls === 2,
    );
    await bench.pool.query(
      `update lanes set lease_until = now() - interval '1 s', worker = 'gone' where user_key = '68'`,
    );
    await bench.startWorker({ script, env: { WORKER_NAME: 'second' } });
    await bench.wake('68');
    await eventually(
      () => bench.outcomes('68'),
      (all) => all[0] === 'answered',
      15_000,
    );
    expect(await bench.replies('68')).toEqual(['working on it', 'done']);
    expect(modelCalls).toBe(3);
  });
});
