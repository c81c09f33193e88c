import { isDeepStrictEqual } from 'node:util';
import type { Route, RouteState } from '@signalbox/contracts/operations/traffic';
import { AppError } from '@signalbox/contracts/errors';
import type { Closable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { backoffMs, SECOND_MS, sleep } from '@signalbox/contracts/time';
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
  /** Routes whose port cannot be listened on, and why. Each is tried until it can; the others serve meanwhile. */
  problems(): readonly string[];
}

interface Entry {
  readonly live: LiveRoute;
  since: string;
  door: Listener | null;
  /** Why there is no listener, and when it is tried again. */
  shut: { readonly problem: string; readonly attempts: number; readonly retryAt: number } | null;
}

/** The pause between two attempts grows from one to the other. */
const FIRST_AGAIN_MS = SECOND_MS / 2;
const LAST_AGAIN_MS = 10 * SECOND_MS;
const LOOK_MS = SECOND_MS / 4;

/** Listens for all stored routes; one that cannot is that route's problem. Changes come one at a time, each on disk before it is in effect. */
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
    entries.set(route.service, { live: createLiveRoute(route, since), since, door: null, shut: null });
  await openDoors();
  const opening = retryListeners();

  async function openDoors(): Promise<void> {
    const now = performance.now();
    const due = [...entries.values()].filter(
      ({ door, shut }) => door === null && (shut === null || now >= shut.retryAt),
    );
    for (const entry of due) await openAgain(entry);
  }

  /** What is wrong is said once, until it is something else. */
  async function openAgain(entry: Entry): Promise<void> {
    const { service } = entry.live;
    try {
      entry.door = await openListener(entry.live.current().listen, entry.live, forwarding);
      if (entry.shut !== null) log.info('route listens again', { target: service });
      entry.shut = null;
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      const attempts = (entry.shut?.attempts ?? 0) + 1;
      if (entry.shut?.problem !== problem)
        log.warn('route cannot listen; it is tried again, and the others serve', { target: service, problem });
      entry.shut = {
        problem,
        attempts,
        retryAt: performance.now() + backoffMs(attempts, FIRST_AGAIN_MS, LAST_AGAIN_MS),
      };
    }
    forwarding.metrics.listens(service, entry.door !== null);
  }

  async function retryListeners(): Promise<void> {
    while (!stopping.signal.aborted) {
      if ([...entries.values()].some(({ door }) => door === null)) await inTurn(openDoors);
      await sleep(LOOK_MS, stopping.signal);
    }
  }

  function problems(): readonly string[] {
    return [...entries.values()].flatMap(({ live, shut }) =>
      shut === null ? [] : [`The route of ${live.service} does not listen. ${shut.problem}`],
    );
  }

  function stateOf({ live, shut }: Entry): RouteState {
    return { ...live.state(), problem: shut?.problem ?? null };
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
    entries.set(service, { live, since, door, shut: null });
    forwarding.metrics.listens(service, true);
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
    list: () => [...entries.values()].map(stateOf),
    find: (service) => {
      const entry = entries.get(service);
      return entry ? stateOf(entry) : null;
    },
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
