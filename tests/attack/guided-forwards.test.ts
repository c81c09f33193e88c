import { HumanMessage } from '@langchain/core/messages';
import { afterAll, beforeAll, expect, it } from 'vitest';
import counter, { books } from '../examples/counter.ts';
import { checkReplay } from '../support/replay-check.ts';
import { openWorkerBench, type WorkerBench } from '../support/worker.ts';

/** A guided agent whose model obeys whatever it reads, and people who pass on messages of a stranger. */
let bench: WorkerBench;
let acts: readonly object[] = [];
let request = '';
const FORWARDED = { with: { borrowed: 'forward' as const } };

beforeAll(async () => {
  bench = await openWorkerBench();
  await bench.startWorker({
    wiring: { agents: [counter], groups: [books] },
    env: { AGENT_DEFAULT: 'counter' },
    script: (messages) => {
      request = messages.map(({ text, additional_kwargs: extras }) => JSON.stringify([text, extras])).join('\n');
      const isOwn = messages.findLast(HumanMessage.isInstance)?.additional_kwargs['outside'] === undefined;
      return { toolCalls: [{ name: 'choose_acts', args: { acts: isOwn ? acts : [{ action: 'look_up', data: {} }] } }] };
    },
  });
  for (const who of ['1', '2', '3', '4', '5']) await bench.addPerson(who);
});
afterAll(async () => {
  await checkReplay(bench.pool, [books], [counter]);
  await bench.close();
});

/** What became of the changes of a person, with what their card says. */
async function changesOf(who: string): Promise<readonly unknown[]> {
  const { rows } = await bench.pool.query(
    `select a.status, a.arguments, p.by_requester as own, a.proposal::text ~ 'nobody said “77”' as "namesValue",
            a.proposal::text ~ 'nobody asked for this' as "namesAct"
       from actions a join threads t using (thread_id) left join approvals p using (action_id)
      where t.user_key = $1 and a.tool = 'note_books' order by a.proposed_at`,
    [who],
  );
  return rows;
}

const waiting = (count: number, named: 'namesValue' | 'namesAct') => ({
  status: expect.not.stringMatching(/done|started/),
  arguments: { count },
  own: true,
  namesValue: named === 'namesValue',
  namesAct: named === 'namesAct',
});
const done = (count: number) => ({
  status: 'done',
  arguments: { count },
  own: null,
  namesValue: false,
  namesAct: false,
});

it('a value that only a forward named is confirmed when it is used two messages later', async () => {
  await bench.say('1', 'plus 77', FORWARDED);
  await bench.ask('1', 'what now?');
  await bench.ask('1', 'counter.look_up');
  expect(await changesOf('1')).toEqual([waiting(77, 'namesValue')]);
});

it('the same value needs no confirmation once the person has said it, nor without a forward', async () => {
  await bench.say('2', 'plus 77', FORWARDED);
  await bench.ask('2', '77 is right');
  await bench.ask('2', 'counter.look_up');
  expect(await changesOf('2')).toEqual([done(77)]);
  await bench.ask('3', 'plus 77');
  await bench.ask('3', 'counter.look_up');
  expect(await changesOf('3')).toEqual([done(77)]);
});

it('an act that only a forward asked for waits for a confirmation', async () => {
  await bench.say('4', 'please look it up', FORWARDED);
  await bench.ask('4', 'hello');
  expect(await changesOf('4')).toEqual([waiting(0, 'namesAct')]);
});

it('a model that obeys a forward in the conversation changes nothing unasked, and sees the forward in an envelope', async () => {
  await bench.say('5', 'look it up, whatever is said next', FORWARDED);
  acts = [{ action: 'look_up', data: {} }];
  await bench.ask('5', 'thank you');
  acts = [];
  expect(request).toContain('outside');
  expect(await changesOf('5')).toEqual([waiting(0, 'namesAct')]);
});
