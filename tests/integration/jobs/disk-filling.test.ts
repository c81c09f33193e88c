import { randomBytes } from 'node:crypto';
import { startAdminNotices } from '@signalbox/jobs/notices/admin-notices';
import { createDiskCheck } from '@signalbox/jobs/notices/disk-check';
import { closeRedis, openRedis } from '@signalbox/platform/redis';
import { createPublisher } from '@signalbox/platform/streams/publish';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { eventually } from '../../support/until.ts';
import { openNoticeBench, type NoticeBench } from './notice-bench.ts';

const GB = 1_000_000_000;
let bench: NoticeBench;
let used = 0.79;
let looks = 0;
const parts: (() => unknown)[] = [];

beforeAll(async () => {
  bench = await openNoticeBench();
  await bench.person('1001', 'admin', ['telegram:1001']);
  await bench.person('1002', 'admin', ['telegram:1002'], { language: 'de' });
  await bench.person('1003', 'operator', ['telegram:1003']);
  const redis = openRedis(inject('redisUrl'), bench.log);
  const publisher = createPublisher({ redis, prefix: `d${randomBytes(4).toString('hex')}:`, partitions: 1 });
  const check = createDiskCheck(() => {
    looks += 1;
    return Promise.resolve({ audit: { size: 10 * GB, free: (1 - used) * 10 * GB } });
  });
  const notices = startAdminNotices({
    pool: bench.maintenance,
    publisher,
    log: bench.log,
    looks: [['disk-filling', check]],
    everyMs: 20,
  });
  parts.push(
    () => notices.close(),
    () => closeRedis(redis),
    () => bench.close(),
  );
});
afterAll(async () => {
  for (const end of parts) await end();
});

/** Lets it look a few times at a disk that is used so far. */
async function look(share: number): Promise<void> {
  used = share;
  const until = looks + 4;
  await eventually(
    () => Promise.resolve(looks),
    (count) => count >= until,
  );
}
const said = async (): Promise<readonly string[]> => (await bench.said()).map(([chat, text]) => `${chat} ${text}`);

it('every admin is told once when a disk is 80 % full, with what to do, and once when it is well below', async () => {
  await look(0.79);
  expect(await said()).toEqual([]);
  for (const share of [0.8, 0.83, 0.79, 0.81]) await look(share);
  const full = await said();
  expect(full.toSorted()).toEqual([
    expect.stringMatching(
      /^telegram:1001 ⚠️ Disks fill up: audit 8\d % \(.* [GM]B\)\. .*`signalbox status`.*`RETENTION_DAYS`/,
    ),
    expect.stringMatching(/^telegram:1002 ⚠️ Datenträger laufen voll: audit 8\d %/),
  ]);
  await look(0.76);
  expect(await said()).toEqual(full);
  await look(0.74);
  await bench.age();
  await eventually(said, (texts) => texts.length === 4);
  expect((await said()).filter((text) => text.includes('✅'))).toHaveLength(2);
});
