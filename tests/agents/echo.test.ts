import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import agent from '../examples/echo.ts';
import { openAgentBench } from '../support/agent-bench.ts';
import type { WorkerBench } from '../support/worker.ts';

// Conversations with it, as a worker has them. At the end each of its turns is gone through again, and has to come out the same.

let bench: WorkerBench;
beforeEach(async () => {
  bench = await openAgentBench(agent);
  await bench.addPerson('7', 'viewer');
});
afterEach(() => bench.close());

describe('a conversation with the echo agent', () => {
  it('has an answer to each message, in order', async () => {
    expect(await bench.ask('7', 'Is anybody there?')).toEqual(['You said: Is anybody there?']);
    expect(await bench.ask('7', 'Good.')).toEqual(['You said: Good.']);
  });

  it('has one answer to several messages that came at once', async () => {
    for (const text of ['one', 'two']) await bench.say('7', text, { silent: true });
    await bench.ask('7', 'three');
    expect(await bench.replies('7')).toEqual(['You said: one', 'You said: two', 'You said: three']);
  });

  it("leaves a record of each turn under the agent's name, and has no other effect", async () => {
    await bench.ask('7', 'hello');
    const { rows } = await bench.pool.query('select distinct agent from threads');
    expect(rows).toEqual([{ agent: agent.id }]);
    expect((await bench.pool.query('select 1 from actions')).rowCount).toBe(0);
  });
});
