import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TrafficSwitch } from '@signalbox/jobs/traffic/traffic';
import type { Route } from '@signalbox/contracts/operations/traffic';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { until } from './until.ts';

/** Something that decides what serves, and the door at which `shop/staging` is reached through it. */
export interface TrafficTarget {
  readonly traffic: TrafficSwitch;
  readonly listen: Route['listen'];
  close(): Promise<void>;
}

const SERVICE = 'shop/staging';
const never = new AbortController().signal;

/** What deployments build on, whatever carries the traffic. */
export function itSwitchesTraffic(open: () => Promise<TrafficTarget>): void {
  let target: TrafficTarget;
  let instances: Server[];
  beforeEach(async () => {
    instances = [];
    target = await open();
  });
  afterEach(async () => {
    await target.close();
    for (const instance of instances) instance.closeAllConnections();
    for (const instance of instances) instance.close();
  });

  /** An instance that says its release; with `/slow` after a while, when `finish` was called. */
  const startInstance = async (release: string) => {
    const waiting: (() => void)[] = [];
    const server = createServer((request, response) => {
      const answer = (): void => void response.end(release);
      if (request.url === '/slow') waiting.push(answer);
      else answer();
    });
    instances.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo; // it listens on TCP
    return { port, waiting, finish: () => waiting.splice(0).forEach((answer) => answer()) };
  };
  const routeTo = (port: number, release: string, fence: number): Route => ({
    service: SERVICE,
    listen: target.listen,
    upstream: { host: '127.0.0.1', port },
    release,
    deploymentId: `act_${release}`,
    fence,
  });
  const ask = async (path = '/'): Promise<string> => {
    const { host, port } = target.listen;
    return (await fetch(`http://${host}:${port}${path}`, { signal: AbortSignal.timeout(10_000) })).text();
  };
  const openAt = async (port: number): Promise<number> => {
    const state = await target.traffic.current(SERVICE, never);
    return state?.open.find(({ upstream }) => upstream.port === port)?.requests ?? 0;
  };

  it('a proxy sends every new request to the new instance once a switch is confirmed', async () => {
    expect(await target.traffic.current(SERVICE, never)).toBeNull();
    const [one, two] = [await startInstance('1.0.0'), await startInstance('1.1.0')];
    await target.traffic.switchTo(routeTo(one.port, '1.0.0', 1), never);
    expect(await ask()).toBe('1.0.0');
    const state = await target.traffic.switchTo(routeTo(two.port, '1.1.0', 2), never);
    expect(await Promise.all(Array.from({ length: 20 }, () => ask()))).toEqual(Array(20).fill('1.1.0'));
    expect(state).toMatchObject(routeTo(two.port, '1.1.0', 2));
    expect(await target.traffic.current(SERVICE, never)).toMatchObject({ release: '1.1.0', since: state.since });
  });

  it('a proxy lets open requests finish at the old instance, and counts them until then', async () => {
    const [one, two] = [await startInstance('1.0.0'), await startInstance('1.1.0')];
    await target.traffic.switchTo(routeTo(one.port, '1.0.0', 1), never);
    const slow = ask('/slow');
    await until(() => one.waiting.length === 1);
    await target.traffic.switchTo(routeTo(two.port, '1.1.0', 2), never);
    expect(await ask()).toBe('1.1.0');
    expect(await openAt(one.port)).toBe(1);
    one.finish();
    expect(await slow).toBe('1.0.0');
    await until(async () => (await openAt(one.port)) === 0);
  });

  it('a proxy keeps the port of a service open after more switches than there are backend slots', async () => {
    const releases = ['1', '2', '3', '4'];
    for (const [at, release] of releases.entries()) {
      const { port } = await startInstance(release);
      await target.traffic.switchTo(routeTo(port, release, at + 1), never);
      expect(await ask()).toBe(release);
    }
  });

  it('a proxy refuses an epoch lower than the last one, even after the route was removed', async () => {
    const [one, two] = [await startInstance('1.0.0'), await startInstance('1.1.0')];
    await target.traffic.switchTo(routeTo(two.port, '1.1.0', 7), never);
    const older = routeTo(one.port, '1.0.0', 6);
    await expect(target.traffic.switchTo(older, never)).rejects.toMatchObject({ code: 'ROUTE_REFUSED' });
    await expect(target.traffic.remove(SERVICE, 6, never)).rejects.toMatchObject({ code: 'ROUTE_REFUSED' });
    expect(await ask()).toBe('1.1.0');
    await target.traffic.remove(SERVICE, 7, never);
    await expect(target.traffic.switchTo(older, never)).rejects.toMatchObject({ code: 'ROUTE_REFUSED' });
    expect(await target.traffic.current(SERVICE, never)).toBeNull();
  });

  it('a proxy switches back to the previous instance with the same epoch', async () => {
    const [one, two] = [await startInstance('1.0.0'), await startInstance('1.1.0')];
    await target.traffic.switchTo(routeTo(one.port, '1.0.0', 1), never);
    await target.traffic.switchTo(routeTo(two.port, '1.1.0', 2), never);
    await target.traffic.switchTo(routeTo(one.port, '1.0.0', 2), never);
    expect(await ask()).toBe('1.0.0');
  });

  it('a proxy keeps the start time of a route that is set twice', async () => {
    const { port } = await startInstance('1.0.0');
    const first = await target.traffic.switchTo(routeTo(port, '1.0.0', 1), never);
    const second = await target.traffic.switchTo(routeTo(port, '1.0.0', 1), never);
    expect(second.since).toBe(first.since);
    expect(await ask()).toBe('1.0.0');
  });

  it('a proxy removes a route, and does nothing when the route does not exist', async () => {
    await target.traffic.remove(SERVICE, 0, never);
    const { port } = await startInstance('1.0.0');
    await target.traffic.switchTo(routeTo(port, '1.0.0', 1), never);
    await target.traffic.remove(SERVICE, 1, never);
    await target.traffic.remove(SERVICE, 1, never);
    expect(await target.traffic.current(SERVICE, never)).toBeNull();
    await until(async () => (await ask().catch(() => 'nobody')) !== '1.0.0');
  });

  it('a proxy counts open requests of an instance after its route was removed, and lets them finish', async () => {
    const one = await startInstance('1.0.0');
    const upstream = { host: '127.0.0.1', port: one.port };
    await target.traffic.switchTo(routeTo(one.port, '1.0.0', 1), never);
    const slow = ask('/slow');
    await until(() => one.waiting.length === 1);
    await target.traffic.remove(SERVICE, 1, never);
    expect(await target.traffic.open(SERVICE, upstream, never)).toBe(1);
    one.finish();
    expect(await slow).toBe('1.0.0');
    await until(async () => (await target.traffic.open(SERVICE, upstream, never)) === 0);
  });

  it('a proxy command rejects with the reason of its aborted signal', async () => {
    const reason = new Error('the run was stopped');
    const signal = AbortSignal.abort(reason);
    await expect(target.traffic.current(SERVICE, signal)).rejects.toBe(reason);
  });
}
