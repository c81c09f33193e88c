import { endFollowedLogs } from '@signalbox/store/deploy/followed-logs';
import { createLog } from '@signalbox/platform/log';
import { enqueueRun } from '@signalbox/platform/queue/enqueue-run';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { appFiles } from '../../support/deploy-repository.ts';
import { eventually } from '../../support/until.ts';
import { ADA, openDeployBench, type DeployBench, type Shop } from './deploy-bench.ts';

let bench: DeployBench;
let shop: Shop;
beforeAll(async () => {
  bench = await openDeployBench();
  await bench.jobs.startService(bench.settings());
  shop = await bench.shop('shop');
  const begin = `let n = 0; setInterval(() => console.log('line ' + (n += 1)), 100);`;
  shop.repository.release('v1', appFiles({ begin }));
  await shop.deploy('act_l1', 'v1');
});
afterAll(() => bench.close());

async function follow(runId: string, followSeconds: number): Promise<void> {
  const { runs, queue } = bench.jobs;
  const service = { project: shop.project, environment: shop.environment };
  const payload = { ...service, of: 'serving', tail: 1, sinceMinutes: null, untilMinutes: null, match: null };
  const person = { userKey: ADA, chatKey: `telegram:${ADA}` };
  await enqueueRun(
    { runs, queue, log: createLog('test', 'silent') },
    { runId, job: 'service.logs', payload: { ...payload, followSeconds }, person, threadId: null, traceId: 'trc' },
  );
}
const ended = (runId: string) =>
  eventually(
    () => bench.jobs.runs.find(runId),
    (run) => run?.finishedAt != null,
    30_000,
  );
async function message(runId: string): Promise<{ text: string; buttons: readonly unknown[] }> {
  const { rows } = await bench.jobs.pool.query<{ text: string; buttons: unknown[] }>(
    `select body ->> 'text' as text, body -> 'buttons' as buttons from outbox where slot = $1 order by id desc limit 1`,
    [`${runId}/log`],
  );
  return rows[0] ?? { text: '', buttons: [] };
}
const shows = (runId: string, words: string) =>
  eventually(
    () => message(runId),
    ({ text }) => text.includes(words),
  );

it('a followed log ends when its time is over, with the end shown in the same message', async () => {
  await follow('act_f1', 3);
  await shows('act_f1', 'line');
  expect((await message('act_f1')).buttons).toEqual([{ label: 'Stop', value: 'stop', ends: 'act_f1' }]);
  await ended('act_f1');
  const { text, buttons } = await message('act_f1');
  expect(text).toMatch(/^Log of \*\*shop\*\* in staging:[\s\S]*line \d+[\s\S]*\n_Ended after 3 s, as asked\._$/);
  expect(buttons).toEqual([]);
  expect((await bench.jobs.told(ADA)).filter(({ runId }) => runId === 'act_f1')).toEqual([]);
});

it('a followed log stops within seconds after somebody has stopped it', async () => {
  await follow('act_f2', 300);
  await shows('act_f2', 'line');
  expect(await endFollowedLogs(bench.jobs.pool, { userKey: ADA, chatKey: `telegram:${ADA}` })).toBe(1);
  expect(await endFollowedLogs(bench.jobs.pool, { userKey: ADA, chatKey: `telegram:${ADA}` })).toBe(0);
  await ended('act_f2');
  expect(await message('act_f2')).toMatchObject({
    text: expect.stringMatching(/_Stopped after [\d.]+ s\._$/),
    buttons: [],
  });
});

it('the second log that a person follows replaces the first log', async () => {
  await follow('act_f3', 300);
  await shows('act_f3', 'line');
  await follow('act_f4', 300);
  await ended('act_f3');
  expect((await message('act_f3')).text).toMatch(/_Stopped after/);
  await shows('act_f4', 'line');
  await endFollowedLogs(bench.jobs.pool, { userKey: ADA, runId: 'act_f4' });
  await ended('act_f4');
});
