import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { echo } from '../../support/echo.ts';
import { eventually } from '../../support/until.ts';
import { openWorkerBench, type WorkerBench } from '../../support/worker.ts';

let bench: WorkerBench;
beforeEach(async () => {
  bench = await openWorkerBench();
  await bench.addPerson('71');
});
afterEach(() => bench.close());

/** A row that some other program, or another release, has written. */
async function leave(updateId: string, envelope: unknown): Promise<void> {
  await bench.pool.query(
    `with l as (insert into lanes (user_key) values ('71') on conflict do nothing)
     insert into inbox (channel, bot, update_id, user_key, chat_key, kind, envelope, trace_id)
     values ('telegram', '100', $1, '71', 'telegram:71', 'message', $2::jsonb, 'trc_bad')`,
    [`bad${updateId}`, JSON.stringify(envelope)],
  );
}

const whole = {
  id: 'telegram:100:9',
  channel: 'telegram',
  bot: '100',
  updateId: '9',
  userKey: '71',
  chatKey: 'telegram:71',
  traceId: 'trc_9',
  at: '2026-01-01T00:00:00.000Z',
  kind: 'message',
  chatKind: 'private',
  name: 'P',
  text: 'x',
};

describe('a stored message that cannot be parsed', () => {
  it.each<[string, unknown]>([
    ['nothing', {}],
    ['a list', []],
    ['no chat', { ...whole, chatKey: undefined }],
    ['no text', { ...whole, text: undefined }],
    ['a kind that nobody knows', { ...whole, kind: 'telepathy' }],
    ['a decision without its approval', { ...whole, kind: 'decision' }],
  ])('is set aside and reported once, and the messages around it are answered (%s)', async (_what, envelope) => {
    await bench.say('71', 'before', { silent: true });
    await leave('1', envelope);
    await bench.startWorker({ script: echo() });
    await bench.say('71', 'behind');
    const outcomes = await eventually(
      () => bench.outcomes('71'),
      (all) => all.every(Boolean),
      20_000,
    );
    expect(outcomes).toEqual(['answered', 'dead-lettered', 'answered']);
    expect((await bench.replies('71')).sort()).toEqual([
      expect.stringMatching(/^Something that came for you cannot be read.*\(reference dlq_\w+\)\.$/),
      'echo before',
      'echo behind',
    ]);
    const { rows } = await bench.pool.query(`select source, reason from dead_letters`);
    expect(rows).toEqual([{ source: 'inbound', reason: expect.stringContaining('it cannot be read: ') }]);
    const { rows: lanes } = await bench.pool.query(`select worker, attempts from lanes where user_key = '71'`);
    expect(lanes).toEqual([{ worker: null, attempts: 0 }]);
  });
});
