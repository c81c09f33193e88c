import { createServer } from 'node:http';
import { listOpenIncidents } from '@signalbox/store/deploy/incidents';
import { createProxyTraffic } from '@signalbox/jobs/traffic/proxy-traffic';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually, until } from '../../support/until.ts';
import { ADA, openDeployBench, type DeployBench, type Shop } from './deploy-bench.ts';
import { openWatcher } from './watcher.ts';

// A port of a deployed service that another program has taken while the proxy was away.

let bench: DeployBench;
let shop: Shop;
beforeAll(async () => {
  bench = await openDeployBench();
  await bench.jobs.pool.query(
    `insert into inbox (channel, bot, update_id, user_key, chat_key, kind, envelope, trace_id, outcome)
     values ('telegram', '1', '1', $1, $2, 'message', '{"chatKind": "private"}', 't', 'answered')`,
    [ADA, `telegram:${ADA}`],
  );
  await bench.jobs.startService(bench.settings());
  shop = await bench.shop('shop');
  shop.repository.release('1.0.0', {
    'signalbox.json': JSON.stringify({ start: ['node', 'server.mjs'], health: { path: '/' }, drainSeconds: 1 }),
    'server.mjs': `
import { createServer } from 'node:http';
const { PORT, HOST, SIGNALBOX_RELEASE } = process.env;
createServer((request, response) => response.writeHead(200, { 'x-release': SIGNALBOX_RELEASE }).end('shop'))
  .listen(Number(PORT), HOST);`,
  });
  await shop.deploy('act_one', '1.0.0');
});
afterAll(() => bench.close());

it("the deployer is notified when another program took the service's port and answers 200", async () => {
  const service = await bench.services.find({ project: 'shop', environment: 'staging' });
  const listen = { host: '127.0.0.1', port: service?.port ?? 0 };
  await bench.stopProxy();
  const squatter = createServer((_request, response) => response.end('somebody else'));
  await new Promise<void>((resolve) => squatter.listen(listen.port, listen.host, resolve));
  await bench.startProxy();
  const look = openWatcher(bench, createProxyTraffic({ socket: bench.settings().PROXY_SOCKET ?? '' }));
  await eventually(
    async () => {
      await look();
      return listOpenIncidents(bench.jobs.pool);
    },
    (open) => open.length > 0,
  );
  const { rows } = await bench.jobs.pool.query<{ user_key: string; say: string }>(
    `select user_key, envelope ->> 'say' as say from inbox where kind = 'incident'`,
  );
  expect(rows).toEqual([
    { user_key: ADA, say: expect.stringContaining('is taken by another program. End that program') },
  ]);
  squatter.closeAllConnections();
  await new Promise((resolve) => squatter.close(resolve));
  await eventually(
    async () => {
      await look();
      return listOpenIncidents(bench.jobs.pool);
    },
    (open) => open.length === 0,
    30_000,
  );
  expect(await until(() => shop.serves('/'))).toBe('shop');
});
