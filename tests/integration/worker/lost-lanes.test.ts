import { sleep } from '@signalbox/contracts/time';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { echo } from '../../support/echo.ts';
import { eventually, until } from '../../support/until.ts';
import { openWorkerBench, type WorkerBench } from '../../support/worker.ts';

let bench: WorkerBench;
beforeEach(async () => {
  bench = await openWorkerBench();
  for (const person of ['91', '92']) await bench.addPerson(person);
});
afterEach(() => bench.close());

it('a lane that a worker loses repeatedly although nobody else takes it is counted as a fault', async () => {
  const { rows } = await bench.pool.query<{ text: string }>(
    `select pg_get_functiondef(oid) as text from pg_proc where proname = 'checkpoint_put'`,
  );
  const { probePort } = await bench.startWorker({ script: echo() });
  const was = rows[0]?.text ?? '';
  await bench.pool.query(
    was.replace(/AS \$function\$[^]*\$function\$/, 'AS $function$ begin return false; end $function$'),
  );
  await bench.say('91', 'hello');
  await until(async () => {
    const metrics = await fetch(`http://127.0.0.1:${probePort}/metrics`).then((answer) => answer.text());
    return /signalbox_turns_total\{[^}]*result="lost-again"[^}]*\} [1-9]/.test(metrics);
  }, 50_000);
  await bench.pool.query(was);
  await eventually(
    () => bench.outcomes('91'),
    (all) => all.every(Boolean),
  );
  expect(await bench.replies('91')).toEqual(['echo hello']);
});

it('a worker whose heartbeats are late claims no lane until they are on time again', async () => {
  await bench.startWorker({ script: echo((text) => (text === 'slow' ? 20_000 : 0)) });
  await bench.say('91', 'slow');
  await until(async () => (await bench.pool.query(`select 1 from lanes where worker is not null`)).rowCount === 1);
  await bench.pool.query('alter function lane_beat rename to lane_beat_late');
  await sleep(3_500);
  await bench.say('92', 'hello');
  await sleep(1_000);
  const { rows } = await bench.pool.query(`select epoch::int from lanes where user_key = '92'`);
  expect(rows).toEqual([{ epoch: 0 }]);
  await bench.pool.query('alter function lane_beat_late rename to lane_beat');
  await eventually(
    () => bench.replies('92'),
    (replies) => replies.includes('echo hello'),
    30_000,
  );
});
