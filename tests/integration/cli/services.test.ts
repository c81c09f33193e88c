import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { describeRunningServices } from '@signalbox/local/setup/running-services';
import { appFiles } from '../../support/deploy-repository.ts';
import { openDeployBench, type DeployBench } from '../jobs/deploy-bench.ts';
import { openTerminal, type Written } from './terminal.ts';

let bench: DeployBench;
let signalbox: (...words: readonly string[]) => Promise<Written>;
beforeAll(async () => {
  bench = await openDeployBench();
  const { databaseUrl, prefix } = bench.jobs;
  signalbox = openTerminal({ DATABASE_URL: databaseUrl, REDIS_URL: inject('redisUrl'), REDIS_PREFIX: prefix });
});
afterAll(() => bench.close());

it('`services` lists a service, and `services stop` needs a running job service', async () => {
  const stop = ['services', 'stop', 'shop', 'staging'] as const;
  expect((await signalbox(...stop)).out).toContain('Nothing was stopped: no job service of the pool deploy runs.');
  expect((await signalbox('services')).out).toContain('Nothing has been deployed yet.');

  await bench.jobs.startService(bench.settings());
  const shop = await bench.shop('shop');
  shop.repository.release('v1', appFiles({}));
  await shop.deploy('act_1', 'v1');
  expect((await signalbox('services')).out).toMatch(/shop +staging +v1-\w{7} +local +http:\/\/127.0.0.1:\d+\/ +serves/);

  // What `npm start` says on Ctrl-C.
  expect(await describeRunningServices(bench.jobs.databaseUrl)).toMatch(
    /^shop\/staging goes on running .*"stop shop in staging", or run: npm run signalbox -- services stop shop staging$/,
  );

  expect((await signalbox(...stop)).out).toContain('shop/staging is stopped: its program has ended');
  expect((await signalbox('services')).out).toMatch(/shop +staging .*stopped/);
  expect(await describeRunningServices(bench.jobs.databaseUrl)).toBeNull();
  await expect(shop.serves()).rejects.toThrow('fetch failed');
  expect((await signalbox(...stop)).out).toContain('was not stopped: Nothing of shop serves in staging');
});
