import type { Route, RouteState } from '@signalbox/contracts/operations/traffic';

type Address = Route['upstream'];

/** A running request to an instance. */
export interface RequestLease {
  readonly address: Address;
  /** Ends the request and counts its outcome; null for a retried request or one that the client gave up. Idempotent. */
  end(outcome: 'served' | 'failed' | null): void;
}

interface Upstream {
  readonly address: Address;
  requests: number;
}

/** A route in use: selects the instance of each request and counts open requests. `since`: start of the first route. */
export function createLiveRoute(first: Route, since: string) {
  let route = first;
  let current: Upstream = { address: first.upstream, requests: 0 };
  let began = since;
  let served = 0;
  let failed = 0;
  const upstreams: Upstream[] = [current]; // The current upstream, and earlier ones with open requests.

  const forgetIdle = (): void => {
    const kept = upstreams.filter((upstream) => upstream === current || upstream.requests > 0);
    upstreams.splice(0, upstreams.length, ...kept);
  };

  return {
    service: first.service,
    current: () => route,
    /** Assigns a request to the current instance for its whole life. */
    lease: (): RequestLease => {
      const taken = current;
      taken.requests += 1;
      let over = false;
      return {
        address: taken.address,
        end: (outcome) => {
          if (over) return;
          over = true;
          taken.requests -= 1;
          if (outcome === 'served') served += 1;
          if (outcome === 'failed') failed += 1;
          if (taken !== current) forgetIdle();
        },
      };
    },
    switchTo: (next: Route, now: Date): void => {
      route = next;
      began = now.toISOString();
      if (equalsAddress(current.address, next.upstream)) return;
      // After switching back, requests that are still open there are counted together with new ones.
      const known = upstreams.find(({ address }) => equalsAddress(address, next.upstream));
      current = known ?? { address: next.upstream, requests: 0 };
      if (!known) upstreams.push(current);
      forgetIdle();
    },
    state: (): RouteState => ({
      ...route,
      since: began,
      open: upstreams.map(({ address, requests }) => ({ upstream: address, requests })),
      served,
      failed,
      problem: null,
    }),
  };
}

export type LiveRoute = ReturnType<typeof createLiveRoute>;

/** True when host and port are equal. */
export function equalsAddress(left: Address, right: Address): boolean {
  return left.host === right.host && left.port === right.port;
}
