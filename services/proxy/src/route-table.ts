import { isDeepStrictEqual } from 'node:util';
import type { Route, RouteState } from '@signalbox/shared/contracts/traffic';
import { AppError } from '@signalbox/shared/errors';
import type { Closable } from '@signalbox/shared/lifecycle';
import type { Log } from '@signalbox/shared/log';
import { SECOND_MS, sleep } from '@signalbox/shared/time';
import type { ForwardParts } from './forward.ts';
import { openListener, type Listener } from './listener.ts';
import { createLiveRoute, isSameAddress, type LiveRoute } from './live-route.ts';
import type { RouteStore } from './route-store.ts';

export interface RouteTable extends Closable {
  list(): readonly RouteState[];
  find(service: string): RouteState | null;
  /**
   * Settles when the route is stored, its door is open, and every new request goes to its upstream. The same again changes nothing.
   * Throws CONFLICT for a lower fence, a door that another service has, and one that cannot be opened; nothing was changed then.
   */
  put(route: Route): Promise<RouteState>;
  /** Takes a route away; its door closes when what is open has finished. Harmless when there is none. Throws CONFLICT. */
  remove(service: string, fence: number): Promise<void>;
  /** How many requests are on their way to an upstream of the service, also of a route that was taken away. */
  open(service: string, upstream: Route['upstream']): number;
  /** Services whose door could not be opened again after a restart; it is tried until it can. */
  problems(): readonly string[];
}

interface Entry {
  readonly live: LiveRoute;
  since: string;
  door: Listener | null;
}

const AGAIN_EVERY_MS = SECOND_MS;

/** Opens the doors of all stored routes. Changes come one at a time, each on disk before it is in effect. */
export async function openRouteTable(options: {
  readonly store: RouteStore;
  readonly forwarding: ForwardParts;
  readonly drainMs: number;
  readonly log: Log;
}): Promise<RouteTable> {
  const { store, forwarding, drainMs, log } = options;
  const stored = await store.load();
  const entries = new Map<string, Entry>();
  const removed = new Map(Object.entries(stored.removed));
  const stopping = new AbortController();
  const leaving = new Set<Promise<void>>();
  const left = new Set<LiveRoute>(); // routes that were taken away and whose requests are not over
  let last: Promise<unknown> = Promise.resolve();

  for (const { route, since } of stored.routes)
    entries.set(route.service, { live: createLiveRoute(route, since), since, door: null });
  await openDoors();
  const opening = keepOpening();

  async function openDoors(): Promise<void> {
    for (const entry of entries.values()) {
      entry.door ??= await openListener(entry.live.current().listen, entry.live, forwarding).catch((error: unknown) => {
        log.warn('door not opened, it is tried again', { target: entry.live.service, error });
        return null;
      });
    }
  }

  async function keepOpening(): Promise<void> {
    while (!stopping.signal.aborted) {
      if (problems().length > 0) await inTurn(openDoors);
      await sleep(AGAIN_EVERY_MS, stopping.signal);
    }
  }

  function problems(): readonly string[] {
    const shut = [...entries.values()].filter(({ door }) => door === null).map(({ live }) => live.current());
    return shut.map(({ service, listen }) => `the door of ${service} (${listen.host}:${listen.port}) cannot be opened`);
  }

  function inTurn<T>(change: () => Promise<T>): Promise<T> {
    const done = last.then(change);
    last = done.catch(() => undefined);
    return done;
  }

  function refuseOlder(service: string, fence: number): void {
    const newest = entries.get(service)?.live.current().fence ?? removed.get(service) ?? 0;
    if (fence < newest)
      throw new AppError('CONFLICT', { detail: `${service} has a route with the fence ${newest}; ${fence} is older.` });
  }

  async function save(change: ReadonlyMap<string, { route: Route; since: string } | { fence: number }>): Promise<void> {
    const routes = new Map([...entries].map(([name, { live, since }]) => [name, { route: live.current(), since }]));
    const fences = new Map(removed);
    for (const [name, is] of change) {
      routes.delete(name);
      fences.delete(name);
      if ('fence' in is) fences.set(name, is.fence);
      else routes.set(name, is);
    }
    await store.save({ routes: [...routes.values()], removed: Object.fromEntries(fences) });
  }

  /** What is on its way there may finish; nobody waits for it. */
  function leave(door: Listener | null): Promise<unknown> {
    if (door === null) return Promise.resolve();
    const closed = door.close(drainMs).finally(() => leaving.delete(closed));
    leaving.add(closed);
    return closed;
  }

  async function put(route: Route): Promise<RouteState> {
    const { service, listen } = route;
    refuseOlder(service, route.fence);
    const entry = entries.get(service);
    if (entry?.door && isDeepStrictEqual(entry.live.current(), route)) return entry.live.state();
    for (const other of entries.values())
      if (other.live.service !== service && isSameAddress(other.live.current().listen, listen))
        throw new AppError('CONFLICT', {
          detail: `${listen.host}:${listen.port} is the door of ${other.live.service}.`,
        });
    const now = new Date();
    const since = now.toISOString();
    const live = entry?.live ?? createLiveRoute(route, since);
    const kept = entry && isSameAddress(entry.live.current().listen, listen) ? entry.door : null;
    // Until it is stored, an opened door leads where the old one does.
    const door = kept ?? (await openListener(listen, live, forwarding));
    try {
      await save(new Map([[service, { route, since }]]));
    } catch (error) {
      if (!kept) await door.close(0);
      throw error;
    }
    if (!kept) void leave(entry?.door ?? null);
    live.switchTo(route, now);
    entries.set(service, { live, since, door });
    removed.delete(service);
    log.info('route set', { target: service, release: route.release, upstream: route.upstream, fence: route.fence });
    return live.state();
  }

  async function remove(service: string, fence: number): Promise<void> {
    refuseOlder(service, fence);
    const entry = entries.get(service);
    if (!entry) return;
    await save(new Map([[service, { fence }]]));
    entries.delete(service);
    removed.set(service, fence);
    left.add(entry.live);
    void leave(entry.door).finally(() => left.delete(entry.live));
    log.info('route removed', { target: service, fence });
  }

  return {
    list: () => [...entries.values()].map(({ live }) => live.state()),
    find: (service) => entries.get(service)?.live.state() ?? null,
    put: (route) => inTurn(() => put(route)),
    remove: (service, fence) => inTurn(() => remove(service, fence)),
    open: (service, upstream) =>
      [...left, ...[...entries.values()].map(({ live }) => live)]
        .filter((live) => live.service === service)
        .flatMap((live) => live.state().open)
        .filter(({ upstream: address }) => isSameAddress(address, upstream))
        .reduce((sum, { requests }) => sum + requests, 0),
    problems,
    close: async () => {
      stopping.abort();
      await opening;
      await last;
      for (const { door } of entries.values()) void leave(door);
      await Promise.all(leaving);
    },
  };
}
