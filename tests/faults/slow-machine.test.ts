import { createLog } from '@signalbox/platform/log';
import { openPool, type Pool } from '@signalbox/store/pool';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { serviceUrl } from '../support/service-login.ts';
import { ADA, openDeployBench, type DeployBench, type Shop } from '../integration/jobs/deploy-bench.ts';
import { makeServerFiles } from '../integration/jobs/server-files.ts';
import { openWatcher } from '../integration/jobs/watcher.ts';

/** Answers after the time that `/delay` sets; at `never`, not at all. */
const PROGRAM = makeServerFiles(
  `let delay = '0';`,
  `  const answer = () => response.writeHead(200, { 'x-release': SIGNALBOX_RELEASE }).end('ok');
  if (pathname === '/delay') { delay = searchParams.get('is'); return answer(); }
  if (delay !== 'never') setTimeout(answer, Number(delay));`,
);

let bench: DeployBench;
let shops: readonly Shop[];
let deploy: Pool;
let look: ReturnType<typeof openWatcher>;
beforeAll(async () => {
  bench = await openDeployBench();
  await bench.jobs.startService(bench.settings());
  shops = await Promise.all(['blog', 'kiosk', 'shop'].map((name) => bench.shop(name)));
  for (const shop of shops) {
    shop.repository.release('1.0.0', PROGRAM);
    await shop.deploy(`act_${shop.project}`, '1.0.0');
  }
  await bench.jobs.pool.query(
    `insert into inbox (channel, bot, update_id, user_key, chat_key, kind, envelope, trace_id, outcome)
       values ('telegram', '100', 'slow', $1, $2, 'message', '{}', 'trc', 'answered')`,
    [ADA, `telegram:${ADA}`],
  );
  await bench.jobs.pool.query(`update users set language = 'de' where user_key = $1`, [ADA]);
  // The watcher logs in as in production.
  const log = createLog('test', 'silent');
  deploy = openPool(serviceUrl(bench.jobs.databaseUrl, 'deploy'), log, { name: 'test', max: 4, as: 'deploy' });
}, 120_000);
beforeEach(async () => {
  // What is usual is learned anew: slow answers count too.
  await bench.jobs.pool.query('update services set health = null');
  look = openWatcher(bench, undefined, { pool: deploy });
  for (let n = 0; n < 4; n += 1) await look();
});
afterAll(async () => {
  await deploy?.end();
  await bench.close();
});

const delay = async (ms: number | 'never', which: readonly Shop[] = shops): Promise<void> => {
  for (const shop of which) await shop.serves(`/delay?is=${ms}`);
};
const incidents = async (): Promise<readonly { subject: string; kind: string; open: boolean }[]> => {
  const { rows } = await bench.jobs.pool.query<{ subject: string; kind: string; open: boolean }>(
    `select subject, kind, closed_at is null as open from incidents order by incident_id`,
  );
  return rows;
};
const news = async (): Promise<readonly string[]> => {
  const { rows } = await bench.jobs.pool.query<{ say: string }>(
    `select envelope ->> 'say' as say from inbox where kind = 'incident' order by id`,
  );
  return rows.map(({ say }) => say);
};

/** Looks until this holds; on a busy machine an answer may be slow by chance. */
const lookUntil = async (holds: (found: Awaited<ReturnType<typeof incidents>>) => boolean): Promise<void> => {
  for (let n = 0; n < 15 && !holds(await incidents()); n += 1) await look();
};

afterEach(async () => {
  await delay(0);
  await bench.jobs.pool.query('truncate incidents cascade');
  await bench.jobs.pool.query(`delete from inbox where kind = 'incident'`);
});

describe('services of one machine that get slow', () => {
  it('are one incident of the machine, told once, that names them', async () => {
    await delay(2_500);
    await delay('never', shops.slice(0, 1));
    await look();
    expect(await incidents()).toEqual([]);
    for (let n = 0; n < 3; n += 1) await look();
    expect(await incidents()).toEqual([{ subject: 'server:local', kind: 'machine-slow', open: true }]);
    const [told = '', ...more] = await news();
    expect(more).toEqual([]);
    expect(told).toContain('Der Server local ist langsam: 3 der 3 Dienste');
    expect(told).toContain('blog/staging, kiosk/staging, shop/staging');
    await delay(0);
    await lookUntil((found) => found.every(({ open }) => !open));
    expect(await incidents()).toEqual([{ subject: 'server:local', kind: 'machine-slow', open: false }]);
    expect(await news()).toEqual([told, expect.stringContaining('wieder schnell genug')]);
  }, 120_000);

  it('are one incident also when two job services probe them at once', async () => {
    await delay(2_500);
    const other = openWatcher(bench, undefined, { pool: deploy });
    for (let n = 0; n < 4; n += 1) await Promise.all([look(), other()]);
    expect(await incidents()).toEqual([{ subject: 'server:local', kind: 'machine-slow', open: true }]);
    expect(await news()).toHaveLength(1);
  }, 120_000);

  it('are incidents of their own when the others answer as usual', async () => {
    await delay(2_500, shops.slice(1, 2));
    for (let n = 0; n < 3; n += 1) await look();
    expect(await incidents()).toEqual([{ subject: 'service:kiosk/staging', kind: 'slow', open: true }]);
    expect(await news()).toHaveLength(1);
  }, 120_000);

  it('are incidents of their own when they stay slow after the machine is well', async () => {
    await delay(2_500);
    for (let n = 0; n < 2; n += 1) await look();
    expect(await incidents()).toEqual([{ subject: 'server:local', kind: 'machine-slow', open: true }]);
    await delay(0, shops.slice(1));
    await lookUntil((found) => found.some(({ kind, open }) => kind === 'slow' && open));
    expect(await incidents()).toEqual([
      { subject: 'server:local', kind: 'machine-slow', open: false },
      { subject: 'service:blog/staging', kind: 'slow', open: true },
    ]);
  }, 120_000);
});

it('a watcher that was late itself opens no incident, however slow the answers seem', async () => {
  const busy = setInterval(() => {
    const until = performance.now() + 800;
    while (performance.now() < until);
  }, 10);
  try {
    for (let n = 0; n < 3; n += 1) await look();
  } finally {
    clearInterval(busy);
  }
  expect(await incidents()).toEqual([]);
}, 120_000);
