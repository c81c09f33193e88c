import { ToolMessage } from '@langchain/core/messages';
import type { ModelScript } from '../../support/scripted-model.ts';
import { tool, toolGroup } from '@signalbox/worker/tools/tool';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { checkReplay } from '../../support/replay-check.ts';
import { eventually } from '../../support/until.ts';
import { openWorkerBench, type WorkerBench } from '../../support/worker.ts';

let bench: WorkerBench;
beforeEach(async () => {
  bench = await openWorkerBench();
  await bench.addPerson('73');
});
afterEach(() => bench.close());

/** The message is given up, and its lane taken away, while its effect takes place. */
const giveUp = async (): Promise<void> => {
  await bench.pool.query(`update inbox set outcome = 'dead-lettered', settled_at = now() where outcome is null`);
  await bench.pool.query(
    `update lanes set epoch = epoch + 1, worker = null, lease_until = null, begun = 0, attempts = 0`,
  );
};

let happen: () => Promise<void>;
const flags = toolGroup({
  name: 'project_management',
  summary: 'Flags.',
  uses: [],
  tools: {
    set_flag: tool({
      describe: 'Set a flag.',
      hints: ['set the flag'],
      input: z.object({}),
      risk: 'sensitive',
      role: 'developer',
      egress: false,
      deadlineMs: 5_000,
      replay: 'unknown',
      run: async () => {
        await happen();
        return {};
      },
      phrases: { done: () => 'The flag is set.' },
    }).from('outside'),
  },
});

/** Sets the flag once; afterwards it tells what it sees of that. */
const script: ModelScript = (messages, tools) => {
  if (tools.some((one) => one.name === 'classify_intent'))
    return {
      toolCalls: [
        { name: 'classify_intent', args: { task_summary: 't', capabilities: ['project_management'], project: null } },
      ],
    };
  const result = messages.find(ToolMessage.isInstance);
  return result ? { content: `I see ${result.text}` } : { toolCalls: [{ name: 'set_flag', args: {} }] };
};

it('a completed effect of a turn that was given up is not called interrupted in the next turn', async () => {
  happen = giveUp;
  await bench.startWorker({ script, wiring: { groups: [flags] } });
  await bench.say('73', 'set the flag');
  await eventually(
    async () => (await bench.pool.query(`select 1 from actions where status = 'done'`)).rowCount,
    (count) => count === 1,
  );
  await bench.say('73', 'is it set?');
  const replies = await eventually(
    () => bench.replies('73'),
    (all) => all.length > 0,
  );
  expect(replies).toEqual([expect.stringContaining('The flag is set.')]);
  expect(replies[0]).not.toContain('Interrupted');
});

it('a call that was stopped while it ran is not reported as never started, and the turn replays the same', async () => {
  happen = () => new Promise(() => undefined);
  await bench.startWorker({ script, wiring: { groups: [flags] } });
  await bench.say('73', 'set the flag');
  await eventually(
    async () => (await bench.pool.query(`select 1 from actions where status = 'started'`)).rowCount,
    (count) => count === 1,
  );
  await bench.stop('73');
  await eventually(
    () => bench.outcomes('73'),
    (all) => all.every(Boolean),
  );
  await bench.say('73', 'is it set?');
  const replies = await eventually(
    () => bench.replies('73'),
    (all) => all.length > 1,
  );
  expect(replies.at(-1)).toContain('whether it took effect');
  await bench.settle();
  await checkReplay(bench.pool, [flags]);
});
