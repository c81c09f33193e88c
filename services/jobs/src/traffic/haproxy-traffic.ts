import { isDeepStrictEqual } from 'node:util';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { Route, RouteState } from '@signalbox/contracts/operations/traffic';
import { AppError } from '@signalbox/contracts/errors';
import { say } from '@signalbox/messages/say';
import { newId } from '@signalbox/contracts/ids';
import { allowMissing } from '@signalbox/contracts/system-error';
import { z } from 'zod';
import { askHaproxy, readServers, type HaproxyServer } from './haproxy-wire.ts';
import type { TrafficSwitch } from './traffic.ts';

/** The last route set for a service. A removed route keeps its epoch. */
const HaproxyState = z.object({ route: Route, since: z.iso.datetime(), isRemoved: z.boolean() });
type HaproxyState = z.infer<typeof HaproxyState>;

/** The two servers of a backend: one serves, the other drains and serves next. */
const SLOTS = ['a', 'b'] as const;
type Slot = (typeof SLOTS)[number];

/**
 * Switches traffic through HAProxy's runtime socket. The service `shop/staging` is the backend `shop_staging` with the servers `a` and
 * `b`; the frontend is part of HAProxy's own configuration: see docs/traffic.md. HAProxy stores no epochs, so a file per service holds
 * them. Throws UPSTREAM_UNAVAILABLE when HAProxy does not answer, ROUTE_REFUSED when it lacks the backend.
 */
export class HaproxyTraffic implements TrafficSwitch {
  readonly opensDoors = false;
  readonly #socket: string;
  readonly #states: ReturnType<typeof createHaproxyStates>;

  constructor(options: { readonly socket: string; readonly stateDir: string }) {
    this.#socket = options.socket;
    this.#states = createHaproxyStates(options.stateDir);
  }

  async current(service: string, signal: AbortSignal): Promise<RouteState | null> {
    signal.throwIfAborted();
    const state = await this.#states.read(service);
    const now = state?.isRemoved === false ? await this.#findServers(service, signal) : null;
    return state && now && describe(state, now);
  }

  async switchTo(route: Route, signal: AbortSignal): Promise<RouteState> {
    const before = await this.#states.read(route.service);
    refuseOlder(route.service, before, route.fence);
    // A route that HAProxy cannot serve must not be stored.
    await this.#servers(route.service, signal, route.listen.port);
    const isSame = before?.isRemoved === false && isDeepStrictEqual(before.route, Route.parse(route));
    const state = { route, since: isSame ? before.since : new Date().toISOString(), isRemoved: false };
    await this.#states.write(state);
    await this.#apply(route, signal);
    // A process with a higher epoch may have acted since the check, so its route is restored.
    const newest = await this.#states.read(route.service);
    if (newest && newest.route.fence > route.fence) {
      if (!newest.isRemoved) await this.#apply(newest.route, signal);
      refuseOlder(route.service, newest, route.fence);
    }
    return describe(state, await this.#servers(route.service, signal));
  }

  async remove(service: string, epoch: number, signal: AbortSignal): Promise<void> {
    const state = await this.#states.read(service);
    refuseOlder(service, state, epoch);
    if (!state || state.isRemoved) return;
    await this.#states.write({ ...state, route: { ...state.route, fence: epoch }, isRemoved: true });
    const commands = SLOTS.map((slot) => `set server ${backendOf(service)}/${slot} state maint`);
    await askHaproxy(this.#socket, commands, signal);
  }

  async open(service: string, { host, port }: Route['upstream'], signal: AbortSignal): Promise<number> {
    const now = await this.#findServers(service, signal);
    if (now === null) return 0;
    const at = SLOTS.map((slot) => now[slot]).filter(({ address: a }) => a.host === host && a.port === port);
    return at.reduce((sum, { requests }) => sum + requests, 0);
  }

  /** Gives the idle server of the backend to the instance and drains the other server. */
  async #apply(route: Route, signal: AbortSignal): Promise<void> {
    const now = await this.#servers(route.service, signal);
    const { host, port } = route.upstream;
    const at = SLOTS.find((slot) => now[slot].address.host === host && now[slot].address.port === port);
    const next = at ?? otherOf(slotThatServes(now));
    const backend = backendOf(route.service);
    const [mine, theirs] = [`${backend}/${next}`, `${backend}/${otherOf(next)}`];
    const commands = [`set server ${mine} addr ${host} port ${port}`, `set server ${mine} state ready`];
    await askHaproxy(this.#socket, commands, signal);
    const then = (await this.#servers(route.service, signal))[next];
    if (then.address.host !== host || then.address.port !== port || !then.isReady)
      throw new AppError('ROUTE_REFUSED', {
        reason: say('deployment.backendRefused', { address: `${host}:${port}`, backend: mine }),
      });
    await askHaproxy(this.#socket, [`set server ${theirs} state drain`], signal);
  }

  async #servers(service: string, signal: AbortSignal, port?: number): Promise<Servers> {
    const now = await this.#findServers(service, signal);
    if (now === null) throw new AppError('ROUTE_REFUSED', { reason: missing(service, port) });
    return now;
  }

  async #findServers(service: string, signal: AbortSignal): Promise<Servers | null> {
    const found = await readServers(this.#socket, backendOf(service), signal);
    const [a, b] = SLOTS.map((slot) => found.find(({ name }) => name === slot));
    return a && b ? { a, b } : null;
  }
}

function describe(state: HaproxyState, now: Servers): RouteState {
  const serving = slotThatServes(now);
  const other = otherOf(serving);
  const { address } = now[serving];
  const isOurs = address.host === state.route.upstream.host && address.port === state.route.upstream.port;
  const open = [{ upstream: address, requests: now[serving].requests }];
  if (now[other].requests > 0) open.push({ upstream: now[other].address, requests: now[other].requests });
  return RouteState.parse({
    ...state.route,
    // A restarted HAProxy has its configured addresses, so the release is unknown.
    ...(isOurs ? {} : { upstream: address, release: 'unknown' }),
    since: state.since,
    open,
    served: now.a.served + now.b.served,
    failed: now.a.failed + now.b.failed,
  });
}

type Servers = Readonly<Record<Slot, HaproxyServer>>;

/** Converts `shop/staging` to `shop_staging`, because HAProxy's names have no slash. */
function backendOf(service: string): string {
  return service.replace(/[^A-Za-z0-9.:-]/g, '_');
}

function otherOf(slot: Slot): Slot {
  return slot === 'a' ? 'b' : 'a';
}

function slotThatServes(now: Servers): Slot {
  return now.b.isReady && !now.a.isReady ? 'b' : 'a';
}

function refuseOlder(service: string, state: HaproxyState | null, epoch: number): void {
  if (!state || epoch >= state.route.fence) return;
  const reason = say('deployment.routeOlder', { service, newer: state.route.fence, fence: epoch });
  throw new AppError('ROUTE_REFUSED', { reason });
}

function missing(service: string, door: number | undefined): string {
  const port = { isListening: door !== undefined, port: door ?? '' };
  return say('deployment.backendMissing', { backend: backendOf(service), ...port });
}

function createHaproxyStates(folder: string): {
  readonly read: (service: string) => Promise<HaproxyState | null>;
  readonly write: (state: HaproxyState) => Promise<void>;
} {
  const fileOf = (service: string): string => join(folder, `${encodeURIComponent(service)}.json`);
  return {
    read: async (service) => {
      const text = await allowMissing(readFile(fileOf(service), 'utf8'));
      return text === null ? null : HaproxyState.parse(JSON.parse(text));
    },
    write: async (state) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = fileOf(state.route.service);
      const next = `${file}.${newId('tmp')}`; // Several processes may write at once, so each writes a file of its own first.
      const handle = await open(next, 'wx', 0o600);
      try {
        await handle.writeFile(`${JSON.stringify(state)}\n`);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(next, file);
    },
  };
}
