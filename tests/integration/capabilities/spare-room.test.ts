import { ToolMessage } from '@langchain/core/messages';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import capability from '../../examples/spare-room.ts';
import { checkReplay } from '../../support/replay-check.ts';
import type { ModelScript } from '../../support/scripted-model.ts';
import { openWorkerBench, type WorkerBench } from '../../support/worker.ts';

// Its tools as people use them: a model calls them, and the runtime decides.

let bench: WorkerBench;
beforeEach(async () => {
  bench = await openWorkerBench();
  await bench.addPerson('7', 'developer');
  await bench.startWorker({ script: obedient, wiring: { groups: [capability] } });
  await bench.pool.query(
    `insert into projects (name, description, owner, action_id) values ('shop', 'Sells socks', '7', 'act_shop')`,
  );
});
afterEach(async () => {
  await checkReplay(bench.pool, [capability]);
  await bench.close();
});

/** A model that calls what it is told to, such as `fill_spare_room {"project":"shop"}`, and says what came of it. */
const obedient: ModelScript = (messages, tools) => {
  if (tools.some(({ name }) => name === 'classify_intent')) {
    const args = { task_summary: 'tools', capabilities: [capability.name], project: null };
    return { toolCalls: [{ name: 'classify_intent', args }] };
  }
  const last = messages.at(-1);
  if (ToolMessage.isInstance(last)) return { content: last.text };
  const [, name = '', args = '{}'] = /^(\w+) ?(.*)$/.exec(last?.text ?? '') ?? [];
  return { toolCalls: [{ name, args: JSON.parse(args || '{}') as Record<string, unknown> }] }; // the tests write objects
};

const ask = async (text: string): Promise<string> => (await bench.ask('7', text)).join('\n');

const status = async (): Promise<unknown> =>
  (await bench.pool.query<{ status: string }>(`select status from projects where name = 'shop'`)).rows[0]?.status;

/** What became of the changes that were proposed. */
const changes = async (): Promise<unknown> =>
  (await bench.pool.query(`select status from actions where tool = 'fill_spare_room' order by proposed_at`)).rows;

describe('the tools of an example capability', () => {
  it('make each change once, and show the change in the list', async () => {
    await ask('fill_spare_room {"project":"shop"}');
    expect(await status()).toBe('archived');
    expect(await ask('list_spare_room')).toContain('shop');
    expect(await changes()).toEqual([{ status: 'done' }]);
  });

  it('wait for a person to confirm a change once the conversation has read text that people wrote', async () => {
    await bench.pool.query(
      `insert into projects (name, description, status, owner, action_id) values ('attic', 'Old things', 'archived', '8', 'act_attic')`,
    );
    expect(await ask('list_spare_room')).toContain('attic');
    await ask('fill_spare_room {"project":"shop"}');
    expect(await status()).not.toBe('archived');
    expect(await changes()).toEqual([{ status: 'waiting' }]);
  });

  it('wait for no confirmation when the conversation has read an empty result', async () => {
    expect(await ask('list_spare_room')).toContain('"total":0');
    await ask('fill_spare_room {"project":"shop"}');
    expect(await status()).toBe('archived');
  });

  it('change nothing for an unknown project name', async () => {
    expect(await ask('fill_spare_room {"project":"shopp"}')).toContain('shop');
    expect(await status()).not.toBe('archived');
  });

  it('change nothing when a viewer asks', async () => {
    await bench.pool.query(`update users set role = 'viewer' where user_key = '7'`);
    await ask('fill_spare_room {"project":"shop"}');
    expect(await status()).not.toBe('archived');
  });
});
