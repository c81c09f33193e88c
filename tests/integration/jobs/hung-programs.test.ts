import { afterAll, beforeAll, expect, it } from 'vitest';
import { listOpenIncidents } from '@signalbox/store/deploy/incidents';
import { collectGarbage } from '../../support/collect-garbage.ts';
import { openDeployBench, type DeployBench, type Shop } from './deploy-bench.ts';
import { makeServerFiles } from './server-files.ts';
import { openWatcher } from './watcher.ts';

const PROGRAM = makeServerFiles(
  `let mode = 'answers';`,
  `  if (pathname === '/mode') mode = searchParams.get('is');
  else if (mode === 'is silent') return;
  response.writeHead(200, { 'x-release': SIGNALBOX_RELEASE });
  if (pathname !== '/mode' && mode === 'begins its answer and never ends it') return setInterval(() => response.write('.'), 100);
  response.end('ok');`,
);

let bench: DeployBench;
let shop: Shop;
beforeAll(async () => {
  bench = await openDeployBench();
  await bench.jobs.startService(bench.settings());
  shop = await bench.shop('shop');
  shop.repository.release('1.0.0', PROGRAM);
  await shop.deploy('act_one', '1.0.0');
});
afterAll(() => bench.close());

it.each(['is silent', 'begins its answer and never ends it'])(
  'a program that %s is down after two probes, and delays neither probe',
  async (mode) => {
    await shop.serves(`/mode?is=${encodeURIComponent(mode)}`);
    const look = openWatcher(bench);
    // Several times within each deadline, and rarely enough to leave a small machine to the looks.
    const collecting = setInterval(collectGarbage, 1_000);
    for (let n = 0; n < 2; n++) {
      const begun = performance.now();
      expect(await look()).toMatchObject({ looked: 1 });
      expect(performance.now() - begun).toBeLessThan(15_000);
    }
    clearInterval(collecting);
    expect(await listOpenIncidents(bench.jobs.pool, 'service:shop/staging')).toMatchObject([{ kind: 'down' }]);
    await shop.serves('/mode?is=answers');
    for (let n = 0; n < 2; n++) await look();
    expect(await listOpenIncidents(bench.jobs.pool, 'service:shop/staging')).toEqual([]);
  },
);
