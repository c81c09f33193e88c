import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createProxyTraffic } from '@signalbox/jobs/traffic/proxy-traffic';
import type { TrafficSwitch } from '@signalbox/jobs/traffic/traffic';
import type { RouteState } from '@signalbox/contracts/operations/traffic';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeProxyFolder } from '../integration/proxy/proxy-bench.ts';
import { freePort } from '../support/free-port.ts';
import { startLoad } from '../support/http-load.ts';
import { startService, type ServiceProcess } from '../support/service-process.ts';
import { until } from '../support/until.ts';

const INSTANCE = fileURLToPath(new URL('../support/http-instance.mjs', import.meta.url));
const SERVICE = 'shop/staging';
const never = new AbortController().signal;

let folder: string;
let proxy: ServiceProcess;
let traffic: TrafficSwitch;
let door: number;
let fence = 0;
const instances = new Set<ChildProcess>();

beforeEach(async () => {
  folder = makeProxyFolder();
  traffic = createProxyTraffic({ socket: join(folder, 'admin.sock') });
  proxy = await startService('proxy', 'proxy', { PROXY_DIR: folder });
  door = await freePort();
});
afterEach(async () => {
  for (const child of instances) child.kill('SIGKILL');
  await proxy.kill();
  rmSync(folder, { recursive: true });
});

const startInstance = async (release: string): Promise<{ readonly child: ChildProcess; readonly port: number }> => {
  const port = await freePort();
  const child = spawn(process.execPath, [INSTANCE, String(port), release], { stdio: ['ignore', 'pipe', 'inherit'] });
  instances.add(child);
  await once(child.stdout, 'data');
  return { child, port };
};
const kill = async (child: ChildProcess): Promise<void> => {
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  instances.delete(child);
};
const switchTo = (port: number, release: string): Promise<RouteState> =>
  traffic.switchTo(
    {
      service: SERVICE,
      listen: { host: '127.0.0.1', port: door },
      upstream: { host: '127.0.0.1', port },
      release,
      deploymentId: `act_${release}`,
      fence: (fence += 1),
    },
    never,
  );
const openAt = async (port: number): Promise<number> =>
  (await traffic.current(SERVICE, never))?.open.find(({ upstream }) => upstream.port === port)?.requests ?? 0;

it('ten traffic switches under load fail no request, although each old instance is killed as soon as it is drained', async () => {
  let serving = await startInstance('0');
  await switchTo(serving.port, '0');
  const load = startLoad(door, 12);
  for (let round = 1; round <= 10; round++) {
    const next = await startInstance(String(round));
    const state = await switchTo(next.port, String(round));
    expect(state.upstream.port).toBe(next.port);
    const old = serving.port;
    await until(async () => (await openAt(old)) === 0, 20_000);
    await kill(serving.child); // nothing of it is left to finish
    serving = next;
  }
  const result = await load.stop();
  expect(result.failures).toEqual([]);
  expect([...result.releases].toSorted((a, b) => Number(a) - Number(b))).toEqual(
    Array.from({ length: 11 }, (_, release) => String(release)),
  );
  expect(await traffic.current(SERVICE, never)).toMatchObject({ failed: 0, release: '10' });
  console.log(`${result.requests} requests through ten switches, none failed`);
});

it('a killed proxy restarts with its routes, and with the epoch that refuses older deployments', async () => {
  const old = await startInstance('1');
  const now = await startInstance('2');
  await switchTo(old.port, '1');
  const state = await switchTo(now.port, '2');
  const before = startLoad(door, 4);
  await until(async () => ((await traffic.current(SERVICE, never))?.served ?? 0) > 50);
  await proxy.kill();
  await before.stop(); // what was on its way is cut, and nobody is kept waiting for it
  await proxy.start();
  const { release, since, fence: kept } = (await traffic.current(SERVICE, never)) ?? {};
  expect({ release, since, fence: kept }).toEqual({ release: '2', since: state.since, fence: state.fence });
  const after = startLoad(door, 4);
  await until(async () => ((await traffic.current(SERVICE, never))?.served ?? 0) > 50);
  const result = await after.stop();
  expect(result.failures).toEqual([]);
  expect([...result.releases]).toEqual(['2']);
  fence = state.fence - 2;
  await expect(switchTo(old.port, '1')).rejects.toMatchObject({ code: 'ROUTE_REFUSED' });
});

it('a proxy that is killed while routes are set has either the old or the new route of each service afterwards', async () => {
  const [a, b] = [await startInstance('a'), await startInstance('b')];
  await switchTo(a.port, 'a');
  for (let round = 0; round < 3; round++) {
    let settled = '';
    let isOver = false;
    const setting = (async () => {
      for (let turn = 0; !isOver; turn++) {
        const release = turn % 2 === 0 ? 'b' : 'a';
        await switchTo(release === 'a' ? a.port : b.port, release);
        settled = release;
      }
    })().catch(() => undefined); // the proxy is killed in the middle
    await until(() => settled !== '');
    await proxy.kill();
    isOver = true;
    await setting;
    await proxy.start();
    const found = await traffic.current(SERVICE, never);
    expect(['a', 'b']).toContain(found?.release);
    expect(found?.upstream.port).toBe(found?.release === 'a' ? a.port : b.port);
    // One that had settled is never lost; the last one may have been stored without an answer.
    expect(found?.fence).toBeGreaterThanOrEqual(fence - 1);
    const { headers } = await fetch(`http://127.0.0.1:${door}/`);
    expect(headers.get('x-release')).toBe(found?.release);
  }
});
