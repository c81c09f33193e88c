import { isDeepStrictEqual } from 'node:util';
import type { Route, RouteState } from '@signalbox/contracts/operations/traffic';
import { AppError } from '@signalbox/contracts/errors';
import type { Closable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { startLoop } from '@signalbox/platform/loop';
import { computeBackoffMs, SECOND_MS } from '@signalbox/contracts/time';
import type { ForwardDeps } from './forward.ts';
import { openListener, type Listener } from './listener.ts';
import { createLiveRoute, equalsAddress, type LiveRoute } from './live-route.ts';
import type { RouteStore, StoredRoutes } from './route-store.ts';

interface Entry {
  readonly live: LiveRoute;
  since: string;
  listener: Listener | null;
  /** Why the route has no listener, and when the next attempt is due. */
  failure: { readonly problem: string; readonly attempts: number; readonly retryAt: number } | null;
}

const MIN_RETRY_MS = SECOND_MS / 2;
const MAX_RETRY_MS = 10 * SECOND_MS;
/** Interval of checks for routes without a listener. An idle proxy wakes only for this. */
const CHECK_MS = MIN_RETRY_MS;

export interface RouteTableOptions {
  readonly store: RouteStore;
  readonly forwarding: ForwardDeps;
  readonly drainMs: number;
  readonly log: Log;
}

/** Listens for all stored routes. Retries failing ones while the others serve. */
export async function openRouteTable(options: RouteTableOptions): Promise<RouteTable> {
  const table = new RouteTable(options, await options.store.load());
  await table.open();
  return table;
}

/** Routes of this proxy. Changes run one at a time, and are on disk before they take effect. */
export class RouteTable implements Closable {
  readonly #options: RouteTableOptions;
  readonly #entries = new Map<string, Entry>();
  /** Epochs of removed routes by service: lower epochs stay refused. */
  readonly #removed: Map<string, number>;
  /** Listeners that close once their requests have ended. */
  readonly #draining = new Set<Promise<void>>();
  /** Removed routes with open requests. */
  readonly #drainingRoutes = new Set<LiveRoute>();
  #lastChange: Promise<unknown> = Promise.resolve();
  #retries: Closable | null = null;

  constructor(options: RouteTableOptions, stored: StoredRoutes) {
    this.#options = options;
    this.#removed = new Map(Object.entries(stored.removed));
    for (const { route, since } of stored.routes)
      this.#entries.set(route.service, { live: createLiveRoute(route, since), since, listener: null, failure: null });
  }

  /** Listens for every route, with retries. Call it once. */
  async open(): Promise<void> {
    await this.#listenToDue();
    const step = async (): Promise<void> => {
      const isMissing = [...this.#entries.values()].some(({ listener }) => listener === null);
      if (isMissing) await this.#runExclusively(() => this.#listenToDue());
    };
    this.#retries = startLoop({ name: 'listeners', everyMs: CHECK_MS, log: this.#options.log, step });
  }

  list(): readonly RouteState[] {
    return [...this.#entries.values()].map(toRouteState);
  }

  find(service: string): RouteState | null {
    const entry = this.#entries.get(service);
    return entry ? toRouteState(entry) : null;
  }

  problems(): readonly string[] {
    return [...this.#entries.values()].flatMap(({ live, failure }) =>
      failure === null ? [] : [`The route of ${live.service} does not listen. ${failure.problem}`],
    );
  }

  /** Counts open requests to an upstream of the service, including removed routes. */
  openRequests(service: string, upstream: Route['upstream']): number {
    return [...this.#drainingRoutes, ...[...this.#entries.values()].map(({ live }) => live)]
      .filter((live) => live.service === service)
      .flatMap((live) => live.state().open)
      .filter(({ upstream: address }) => equalsAddress(address, upstream))
      .reduce((sum, { requests }) => sum + requests, 0);
  }

  /** Sets a route; settles when new requests go to its upstream. Idempotent. Throws ROUTE_REFUSED without any change. */
  put(route: Route): Promise<RouteState> {
    return this.#runExclusively(() => this.#put(route));
  }

  /** Removes a route; its listener closes after its open requests. Does nothing without a route. Throws ROUTE_REFUSED for a lower epoch. */
  remove(service: string, fence: number): Promise<void> {
    return this.#runExclusively(() => this.#remove(service, fence));
  }

  async close(): Promise<void> {
    await this.#retries?.close();
    await this.#lastChange;
    for (const { listener } of this.#entries.values()) void this.#drain(listener);
    await Promise.all(this.#draining);
  }

  #runExclusively<T>(change: () => Promise<T>): Promise<T> {
    const done = this.#lastChange.then(change);
    this.#lastChange = done.catch(() => undefined);
    return done;
  }

  async #put(route: Route): Promise<RouteState> {
    const { service, listen } = route;
    const { forwarding, log } = this.#options;
    this.#requireNewest(service, route.fence);
    const entry = this.#entries.get(service);
    if (entry?.listener && isDeepStrictEqual(entry.live.current(), route)) return entry.live.state();
    for (const { live } of this.#entries.values())
      if (live.service !== service && equalsAddress(live.current().listen, listen))
        throw new AppError('ROUTE_REFUSED', {
          reason: `${listen.host}:${listen.port} is the door of ${live.service}.`,
        });
    const now = new Date();
    const since = now.toISOString();
    const live = entry?.live ?? createLiveRoute(route, since);
    const reused = entry && equalsAddress(entry.live.current().listen, listen) ? entry.listener : null;
    // Until the route is stored, a new listener forwards to the old upstream.
    const listener = reused ?? (await openListener(listen, live, forwarding));
    try {
      await this.#save(new Map([[service, { route, since }]]));
    } catch (error) {
      if (!reused) await listener.close(0);
      throw error;
    }
    if (!reused) void this.#drain(entry?.listener ?? null);
    live.switchTo(route, now);
    this.#entries.set(service, { live, since, listener, failure: null });
    forwarding.metrics.setListening(service, true);
    this.#removed.delete(service);
    log.info('route set', { target: service, release: route.release, upstream: route.upstream, fence: route.fence });
    return live.state();
  }

  async #remove(service: string, fence: number): Promise<void> {
    this.#requireNewest(service, fence);
    const entry = this.#entries.get(service);
    if (!entry) return;
    await this.#save(new Map([[service, { fence }]]));
    this.#entries.delete(service);
    this.#removed.set(service, fence);
    this.#drainingRoutes.add(entry.live);
    void this.#drain(entry.listener).finally(() => this.#drainingRoutes.delete(entry.live));
    this.#options.log.info('route removed', { target: service, fence });
  }

  #requireNewest(service: string, fence: number): void {
    const newest = this.#entries.get(service)?.live.current().fence ?? this.#removed.get(service) ?? 0;
    if (fence < newest)
      throw new AppError('ROUTE_REFUSED', {
        reason: `${service} has a route with the fence ${newest}; ${fence} is older.`,
      });
  }

  async #save(change: ReadonlyMap<string, { route: Route; since: string } | { fence: number }>): Promise<void> {
    const stored = [...this.#entries].map(
      ([name, { live, since }]) => [name, { route: live.current(), since }] as const,
    );
    const routes = new Map(stored);
    const removed = new Map(this.#removed);
    for (const [name, is] of change) {
      routes.delete(name);
      removed.delete(name);
      if ('fence' in is) removed.set(name, is.fence);
      else routes.set(name, is);
    }
    await this.#options.store.save({ routes: [...routes.values()], removed: Object.fromEntries(removed) });
  }

  async #listenToDue(): Promise<void> {
    const now = performance.now();
    for (const entry of this.#entries.values())
      if (entry.listener === null && (entry.failure === null || now >= entry.failure.retryAt))
        await this.#listen(entry);
  }

  /** Tries to listen for a route; logs each problem once. */
  async #listen(entry: Entry): Promise<void> {
    const { forwarding, log } = this.#options;
    const { service } = entry.live;
    try {
      entry.listener = await openListener(entry.live.current().listen, entry.live, forwarding);
      if (entry.failure !== null) log.info('route listens again', { target: service });
      entry.failure = null;
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      const attempts = (entry.failure?.attempts ?? 0) + 1;
      if (entry.failure?.problem !== problem)
        log.warn('route cannot listen; it is tried again, and the others serve', { target: service, problem });
      const retryAt = performance.now() + computeBackoffMs(attempts, MIN_RETRY_MS, MAX_RETRY_MS);
      entry.failure = { problem, attempts, retryAt };
    }
    forwarding.metrics.setListening(service, entry.listener !== null);
  }

  /** Closes a listener after its requests. Only `close` waits for it. */
  #drain(listener: Listener | null): Promise<unknown> {
    if (listener === null) return Promise.resolve();
    const closed = listener.close(this.#options.drainMs).finally(() => this.#draining.delete(closed));
    this.#draining.add(closed);
    return closed;
  }
}

function toRouteState({ live, failure }: Entry): RouteState {
  return { ...live.state(), problem: failure?.problem ?? null };
}
