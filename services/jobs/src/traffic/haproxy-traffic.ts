import { isDeepStrictEqual } from 'node:util';
import { Route, RouteState } from '@signalbox/contracts/operations/traffic';
import { AppError } from '@signalbox/contracts/errors';
import { createHaproxyStates, type HaproxyState } from './haproxy-state.ts';
import { askHaproxy, readServers, type HaproxyServer } from './haproxy-wire.ts';
import type { Traffic } from './traffic.ts';

/** The two servers of a backend: one serves, the other finishes what it has and is the next to serve. */
const SLOTS = ['a', 'b'] as const;
type Slot = (typeof SLOTS)[number];

/**
 * Traffic through HAProxy, by its runtime socket. The service `shop/staging` is the backend `shop_staging` with the servers `a` and
 * `b`; its frontend, and with it where people reach it, is HAProxy's own configuration: see docs/operations.md. HAProxy knows no
 * fences, so they are kept in a file per service. Throws UPSTREAM_UNAVAILABLE when HAProxy does not answer, and CONFLICT when it
 * has no such backend.
 */
export function createHaproxyTraffic(options: { readonly socket: string; readonly stateDir: string }): Traffic {
  const { socket } = options;
  const states = createHaproxyStates(options.stateDir);

  const look = async (service: string, signal: AbortSignal): Promise<Servers | null> => {
    const found = await readServers(socket, backendOf(service), signal);
    const [a, b] = SLOTS.map((slot) => found.find(({ name }) => name === slot));
    return a && b ? { a, b } : null;
  };
  const servers = async (service: string, signal: AbortSignal, door?: number): Promise<Servers> => {
    const now = await look(service, signal);
    if (now === null) throw new AppError('CONFLICT', { detail: missing(service, door) });
    return now;
  };

  const describe = (state: HaproxyState, now: Servers): RouteState => {
    const serving = slotThatServes(now);
    const other = otherOf(serving);
    const { address } = now[serving];
    const isOurs = address.host === state.route.upstream.host && address.port === state.route.upstream.port;
    const open = [{ upstream: address, requests: now[serving].requests }];
    if (now[other].requests > 0) open.push({ upstream: now[other].address, requests: now[other].requests });
    return RouteState.parse({
      ...state.route,
      // A HAProxy that was started anew has the addresses of its configuration: which release is there, nobody knows.
      ...(isOurs ? {} : { upstream: address, release: 'unknown' }),
      since: state.since,
      open,
      served: now.a.served + now.b.served,
      failed: now.a.failed + now.b.failed,
    });
  };

  /** Gives the slot that rests to this instance, and lets the other one finish. */
  const apply = async (route: Route, signal: AbortSignal): Promise<void> => {
    const now = await servers(route.service, signal);
    const { host, port } = route.upstream;
    const at = SLOTS.find((slot) => now[slot].address.host === host && now[slot].address.port === port);
    const next = at ?? otherOf(slotThatServes(now));
    const backend = backendOf(route.service);
    const [mine, theirs] = [`${backend}/${next}`, `${backend}/${otherOf(next)}`];
    await askHaproxy(
      socket,
      [`set server ${mine} addr ${host} port ${port}`, `set server ${mine} state ready`],
      signal,
    );
    const then = (await servers(route.service, signal))[next];
    if (then.address.host !== host || then.address.port !== port || !then.isReady)
      throw new AppError('CONFLICT', { detail: `HAProxy did not take ${host}:${port} for ${mine}.` });
    await askHaproxy(socket, [`set server ${theirs} state drain`], signal);
  };

  return {
    opensDoors: false,
    current: async (service, signal) => {
      signal.throwIfAborted();
      const state = await states.read(service);
      const now = state?.isRemoved === false ? await look(service, signal) : null;
      return state && now && describe(state, now);
    },
    switchTo: async (route, signal) => {
      const before = await states.read(route.service);
      refuseOlder(route.service, before, route.fence);
      // What HAProxy cannot do at all must not be written down as what it does.
      await servers(route.service, signal, route.listen.port);
      const isSame = before?.isRemoved === false && isDeepStrictEqual(before.route, Route.parse(route));
      const state = { route, since: isSame ? before.since : new Date().toISOString(), isRemoved: false };
      await states.write(state);
      await apply(route, signal);
      // Between the look at the fence and HAProxy somebody else may have been here, with a higher one: theirs is put back.
      const newest = await states.read(route.service);
      if (newest && newest.route.fence > route.fence) {
        if (!newest.isRemoved) await apply(newest.route, signal);
        refuseOlder(route.service, newest, route.fence);
      }
      return describe(state, await servers(route.service, signal));
    },
    remove: async (service, fence, signal) => {
      const state = await states.read(service);
      refuseOlder(service, state, fence);
      if (!state || state.isRemoved) return;
      await states.write({ ...state, route: { ...state.route, fence }, isRemoved: true });
      const backend = backendOf(service);
      await askHaproxy(
        socket,
        SLOTS.map((slot) => `set server ${backend}/${slot} state maint`),
        signal,
      );
    },
    open: async (service, { host, port }, signal) => {
      const now = await look(service, signal);
      if (now === null) return 0;
      const at = SLOTS.map((slot) => now[slot]).filter(({ address: a }) => a.host === host && a.port === port);
      return at.reduce((sum, { requests }) => sum + requests, 0);
    },
  };
}

type Servers = Readonly<Record<Slot, HaproxyServer>>;

/** `shop/staging` is `shop_staging`: HAProxy's names have no slash. */
function backendOf(service: string): string {
  return service.replace(/[^A-Za-z0-9.:-]/g, '_');
}

function otherOf(slot: Slot): Slot {
  return slot === 'a' ? 'b' : 'a';
}

function slotThatServes(now: Servers): Slot {
  return now.b.isReady && !now.a.isReady ? 'b' : 'a';
}

function refuseOlder(service: string, state: HaproxyState | null, fence: number): void {
  if (!state || fence >= state.route.fence) return;
  const detail = `${service} has a route with the fence ${state.route.fence}; ${fence} is older.`;
  throw new AppError('CONFLICT', { detail });
}

function missing(service: string, door: number | undefined): string {
  const listening = door === undefined ? '' : `, and a frontend for it that listens on port ${door},`;
  return `HAProxy has no backend ${backendOf(service)} with the servers a and b. Add it${listening} to its configuration, then deploy again.`;
}
