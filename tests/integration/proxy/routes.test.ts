import { createServer } from 'node:http';
import { rmSync, statSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createProxyTraffic } from '@signalbox/jobs/traffic/proxy-traffic';
import type { Route } from '@signalbox/contracts/operations/traffic';
import { afterEach, expect, it } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { until } from '../../support/until.ts';
import { makeProxyFolder, startProxy, type ProxyBench } from './proxy-bench.ts';

const never = new AbortController().signal;
const closers: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const start = async (folder?: string): Promise<ProxyBench> => {
  const proxy = await startProxy(folder);
  closers.push(proxy.close);
  if (folder === undefined) closers.unshift(() => rmSync(proxy.folder, { recursive: true }));
  return proxy;
};
const startInstance = async (release: string, handle?: (answer: () => void) => void): Promise<number> => {
  const server = createServer((_request, response) =>
    (handle ?? ((answer) => answer()))(() => void response.end(release)),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port; // it listens on TCP
};
const at = (port: number) => ({ host: '127.0.0.1', port });
const routeOf = async (service: string, more: Partial<Route> = {}): Promise<Route> => ({
  service,
  listen: at(await freePort()),
  upstream: at(await startInstance(service)),
  release: '1.0.0',
  deploymentId: 'act_1',
  fence: 3,
  ...more,
});
const ask = async ({ listen }: Route): Promise<string> => (await fetch(`http://127.0.0.1:${listen.port}/`)).text();

it('routes and epochs survive a restart, with their start times', async () => {
  const first = await start();
  const [shop, blog, gone] = [
    await routeOf('shop/staging'),
    await routeOf('blog/staging'),
    await routeOf('old/staging'),
  ];
  const traffic = createProxyTraffic(first);
  const set = await traffic.switchTo(shop, never);
  await traffic.switchTo(blog, never);
  await traffic.switchTo(gone, never);
  await traffic.remove('old/staging', 5, never);
  await first.close();
  const again = createProxyTraffic(await start(first.folder));
  expect(await again.current('shop/staging', never)).toMatchObject({ ...shop, since: set.since });
  expect([await ask(shop), await ask(blog)]).toEqual(['shop/staging', 'blog/staging']);
  await expect(again.switchTo({ ...gone, fence: 4 }, never)).rejects.toMatchObject({ code: 'ROUTE_REFUSED' });
});

it("only the proxy's own user can set routes, and a second proxy in the same folder is refused", async () => {
  const proxy = await start();
  expect(statSync(proxy.socket).mode & 0o777).toBe(0o600);
  expect(statSync(proxy.folder).mode & 0o077).toBe(0);
  await expect(startProxy(proxy.folder)).rejects.toMatchObject({ code: 'STARTUP_REFUSED' });
  expect(await createProxyTraffic(proxy).current('shop/staging', never)).toBeNull();
});

it('an unreadable route file stops the start of the proxy, and is not changed', async () => {
  const folder = makeProxyFolder();
  closers.push(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'routes.json'), '{"routes": 7}');
  await expect(startProxy(folder)).rejects.toThrow('restore it, or delete it');
});

it('a route at a port of another service is refused, and no route is changed', async () => {
  const proxy = await start();
  const traffic = createProxyTraffic(proxy);
  const shop = await routeOf('shop/staging');
  await traffic.switchTo(shop, never);
  const blog = await routeOf('blog/staging', { listen: shop.listen });
  await expect(traffic.switchTo(blog, never)).rejects.toThrow('is the door of shop/staging');
  const taken = at(await startInstance('a program of somebody'));
  await expect(traffic.switchTo({ ...shop, listen: taken, fence: 4 }, never)).rejects.toThrow(
    'taken by another program',
  );
  expect(await traffic.current('shop/staging', never)).toMatchObject(shop);
  expect(await traffic.current('blog/staging', never)).toBeNull();
  expect(await ask(shop)).toBe('shop/staging');
});

it('a service that moves to another port is no longer reachable at the old port', async () => {
  const traffic = createProxyTraffic(await start());
  const shop = await routeOf('shop/staging');
  await traffic.switchTo(shop, never);
  const moved = { ...shop, listen: at(await freePort()), fence: 4 };
  await traffic.switchTo(moved, never);
  expect(await ask(moved)).toBe('shop/staging');
  await until(() =>
    ask(shop).then(
      () => false,
      () => true,
    ),
  );
});

it('a route whose port is taken is reported once, and opened when the port is free', async () => {
  const first = await start();
  const [shop, blog] = [await routeOf('shop/staging'), await routeOf('blog/staging')];
  for (const route of [shop, blog]) await createProxyTraffic(first).switchTo(route, never);
  await first.close();
  const squatter = createServer((_request, response) => response.end('squatter'));
  await new Promise<void>((resolve) => squatter.listen(shop.listen.port, '127.0.0.1', resolve));
  const again = await start(first.folder);
  const get = async (path: string): Promise<string> => {
    const response = await fetch(`http://127.0.0.1:${again.probePort}${path}`);
    return `${response.status} ${await response.text()}`;
  };
  const problem = `The address 127.0.0.1:${shop.listen.port} is taken by another program.`;
  expect(await get('/readyz')).toContain(`200 ready\nThe route of shop/staging does not listen. ${problem} End that`);
  expect(await get('/metrics')).toMatch(/signalbox_proxy_listening\{target="shop\/staging"[^}]*\} 0/);
  expect((await createProxyTraffic(again).current('shop/staging', never))?.problem).toContain(problem);
  expect(await ask(blog)).toBe('blog/staging');
  squatter.closeAllConnections();
  await new Promise((resolve) => squatter.close(resolve));
  await until(async () => (await get('/readyz')) === '200 ready\n');
  expect(await ask(shop)).toBe('shop/staging');
  expect(await get('/metrics')).toMatch(/signalbox_proxy_listening\{target="shop\/staging"[^}]*\} 1/);
});

it('a stopping proxy lets open requests finish and accepts no new ones', async () => {
  const proxy = await start();
  let finish: (() => void) | null = null;
  const upstream = at(await startInstance('1.0.0', (answer) => (finish = answer)));
  const shop = await routeOf('shop/staging', { upstream });
  await createProxyTraffic(proxy).switchTo(shop, never);
  const slow = ask(shop);
  await until(() => finish !== null);
  const closing = proxy.close();
  await until(() =>
    ask(shop).then(
      () => false,
      () => true,
    ),
  );
  finish!(); // oxlint-disable-line typescript/no-non-null-assertion -- it was waited for
  expect(await slow).toBe('1.0.0');
  await closing;
});

it('a stopping proxy cuts requests that do not finish in time', async () => {
  const proxy = await start();
  let begun = false;
  const upstream = at(await startInstance('1.0.0', () => (begun = true)));
  const shop = await routeOf('shop/staging', { upstream });
  await createProxyTraffic(proxy).switchTo(shop, never);
  const slow = ask(shop).catch((error: unknown) => error);
  await until(() => begun);
  await proxy.close();
  expect(await slow).toBeInstanceOf(Error);
});

it('a route with an invalid epoch is refused with HTTP 400, and no route is set', async () => {
  const { socket } = await start();
  const route = await routeOf('shop/staging');
  const traffic = createProxyTraffic({ socket });
  await expect(traffic.switchTo({ ...route, fence: -1 }, never)).rejects.toThrow('400');
  expect(await traffic.current('shop/staging', never)).toBeNull();
});

it('a request to a proxy that does not run fails with UPSTREAM_UNAVAILABLE', async () => {
  const traffic = createProxyTraffic({ socket: '/nowhere/admin.sock' });
  await expect(traffic.current('shop/staging', never)).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
});
