import { isDeepStrictEqual } from 'node:util';
import type { Route, RouteState } from '@signalbox/contracts/operations/traffic';
import { AppError } from '@signalbox/contracts/errors';
import type { Closable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { startLoop } from '@signalbox/platform/loop';
import { backoffMs, SECOND_MS } from '@signalbox/contracts/time';
import type { ForwardParts } from './forward.ts';
import { openListener, type Listener } from './listener.ts';
import { createLiveRoute, isSameAddress, type LiveRoute } from './live-route.ts';
import type { RouteStore, Stored } from './route-store.ts';

interface Entry {
  readonly live: LiveRoute;
  since: string;
  listener: Listener | null;
  /** Why there is no listener, and when the next try is. */
  failure: { readonly problem: string; readonly attempts: number; readonly retryAt: number } | null;
}

/** The pause between two tries to listen grows from one to the other. */
const FIRST_RETRY_MS = SECOND_MS / 2;
const LAST_RETRY_MS = 10 * SECOND_MS;
/** An idle proxy wakes for nothing else. */
const CHECK_MS = FIRST_RETRY_MS;

export interface RouteTableOptions {
  readonly store: RouteStore;
  readonly forwarding: ForwardParts;
  readonly drainMs: number;
  readonly log: Log;
}

/** Listens for all stored routes. A route that cannot listen is tried again, and the others serve meanwhile. */
export async function openRouteTable(options: RouteTableOptions): Promise<RouteTable> {
  const table = new RouteTable(options, await options.store.load());
  await table.open();
  return table;
}

/** The routes of this proxy. Changes come one at a time, and each is on disk before it is in effect. */
export class RouteTable implements Closable {
  readonly #options: RouteTableOptions;
  readonly #entries = new Map<string, Entry>();
  /** The fences of removed routes, by service: an older fence stays refused. */
  readonly #removed: Map<string, number>;
  /** Listeners that close when their requests are over. */
  readonly #draining = new Set<Promise<void>>();
  /** Removed routes with open requests. */
  readonly #drainingRoutes = new Set<LiveRoute>();
  #lastChange: Promise<unknown> = Promise.resolve();
  #retries: Closable | null = null;

  constructor(options: RouteTableOptions, stored: Stored) {
    this.#options = options;
    this.#removed = new Map(Object.entries(stored.removed));
    for (const { route, since } of stored.routes)
      this.#entries.set(route.service, { live: createLiveRoute(route, since), since, listener: null, failure: null });
  }

  /** Listens for every route, and tries again where that fails. Call it once. */
  async open(): Promise<void> {
    await this.#listenWhereDue();
    const step = async (): Promise<void> => {
      const isMissing = [...this.#entries.values()].some(({ listener }) => listener === null);
      if (isMissing) await this.#inTurn(() => this.#listenWhereDue());
    };
    this.#retries = startLoop({ name: 'listeners', everyMs: CHECK_MS, log: this.#options.log, step });
  }

  list(): readonly RouteState[] {
    return [...this.#entries.values()].map(stateOf);
  }

  find(service: string): RouteState | null {
    const entry = this.#entries.get(service);
    return entry ? stateOf(entry) : null;
  }

  /** Routes whose port cannot be listened on, and why. */
  problems(): readonly string[] {
    return [...this.#entries.values()].flatMap(({ live, failure }) =>
      failure === null ? [] : [`The route of ${live.service} does not listen. ${failure.problem}`],
    );
  }

  /** How many requests are on their way to an upstream of the service, also of a removed route. */
  openRequests(service: string, upstream: Route['upstream']): number {
    return [...this.#drainingRoutes, ...[...this.#entries.values()].map(({ live }) => live)]
      .filter((live) => live.service === service)
      .flatMap((live) => live.state().open)
      .filter(({ upstream: address }) => isSameAddress(address, upstream))
      .reduce((sum, { requests }) => sum + requests, 0);
  }

  /**
   * Settles when the route is stored, its port is open, and every new request goes to its upstream. The same again changes nothing.
   * Throws ROUTE_REFUSED for a lower fence, a port that another service has, and one that cannot be opened; nothing was changed then.
   */
  put(route: Route): Promise<RouteState> {
    return this.#inTurn(() => this.#put(route));
  }

  /** Removes a route; its listener closes when the open requests are over. Harmless when there is none. Throws ROUTE_REFUSED. */
  remove(service: string, fence: number): Promise<void> {
    return this.#inTurn(() => this.#remove(service, fence));
  }

  async close(): Promise<void> {
    await this.#retries?.close();
    await this.#lastChange;
    for (const { listener } of this.#entries.values()) void this.#drain(listener);
    await Promise.all(this.#draining);
  }

  #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const done = this.#lastChange.then(change);
    this.#lastChange = done.catch(() => undefined);
    return done;
  }

  async #put(route: Route): Promise<RouteState> {
    const { service, listen } = route;
    const { forwarding, log } = this.#options;
    this.#refuseOlder(service, route.fence);
    const entry = this.#entries.get(service);
    if (entry?.listener && isDeepStrictEqual(entry.live.current(), route)) return entry.live.state();
    for (const { live } of this.#entries.values())
      if (live.service !== service && isSameAddress(live.current().listen, listen))
        throw new AppError('ROUTE_REFUSED', {
          reason: `${listen.host}:${listen.port} is the door of ${live.service}.`,
        });
    const now = new Date();
    const since = now.toISOString();
    const live = entry?.live ?? createLiveRoute(route, since);
    const reused = entry && isSameAddress(entry.live.current().listen, listen) ? entry.listener : null;
    // Until the route is stored, a new listener leads where the old one does.
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
    forwarding.metrics.listens(service, true);
    this.#removed.delete(service);
    log.info('route set', { target: service, release: route.release, upstream: route.upstream, fence: route.fence });
    return live.state();
  }

  async #remove(service: string, fence: number): Promise<void> {
    this.#refuseOlder(service, fence);
    const entry = this.#entries.get(service);
    if (!entry) return;
    await this.#save(new Map([[service, { fence }]]));
    this.#entries.delete(service);
    this.#removed.set(service, fence);
    this.#drainingRoutes.add(entry.live);
    void this.#drain(entry.listener).finally(() => this.#drainingRoutes.delete(entry.live));
    this.#options.log.info('route removed', { target: service, fence });
  }

  #refuseOlder(service: string, fence: number): void {
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

  async #listenWhereDue(): Promise<void> {
    const now = performance.now();
    for (const entry of this.#entries.values())
      if (entry.listener === null && (entry.failure === null || now >= entry.failure.retryAt))
        await this.#listen(entry);
  }

  /** Logs a problem once, until it is another one. */
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
      const retryAt = performance.now() + backoffMs(attempts, FIRST_RETRY_MS, LAST_RETRY_MS);
      entry.failure = { problem, attempts, retryAt };
    }
    forwarding.metrics.listens(service, entry.listener !== null);
  }

  /** Closes a listener when its requests are over. Only `close` waits for it. */
  #drain(listener: Listener | null): Promise<unknown> {
    if (listener === null) return Promise.resolve();
    const closed = listener.close(this.#options.drainMs).finally(() => this.#draining.delete(closed));
    this.#draining.add(closed);
    return closed;
  }
}

function stateOf({ live, failure }: Entry): RouteState {
  return { ...live.state(), problem: failure?.problem ?? null };
}
