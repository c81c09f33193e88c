import type { Route, RouteState } from '@signalbox/contracts/operations/traffic';

type Address = Route['upstream'];

/** One request on its way to an instance. */
export interface Lease {
  readonly address: Address;
  /** It is over; counted as served or as failed unless it is null: tried again, or given up by the client. Twice is once. */
  end(outcome: 'served' | 'failed' | null): void;
}

interface Upstream {
  readonly address: Address;
  requests: number;
}

/**
 * A route in use: which instance gets the next request, and how many are on their way to each. Begins with this route; `since` is when
 * it began to serve.
 */
export function createLiveRoute(first: Route, since: string) {
  let route = first;
  let current: Upstream = { address: first.upstream, requests: 0 };
  let began = since;
  let served = 0;
  let failed = 0;
  const upstreams: Upstream[] = [current]; // the current one, and those that still have requests

  const forgetIdle = (): void => {
    const kept = upstreams.filter((upstream) => upstream === current || upstream.requests > 0);
    upstreams.splice(0, upstreams.length, ...kept);
  };

  return {
    service: first.service,
    current: () => route,
    /** Takes the instance of now for one request, which stays with it whatever is switched meanwhile. */
    lease: (): Lease => {
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
    /** From now on every new request goes to this route's upstream. */
    switchTo: (next: Route, now: Date): void => {
      route = next;
      began = now.toISOString();
      if (isSameAddress(current.address, next.upstream)) return;
      // Switched back while requests are still on their way there: they are counted together.
      const known = upstreams.find(({ address }) => isSameAddress(address, next.upstream));
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

/** Whether two addresses are written alike. */
export function isSameAddress(one: Address, other: Address): boolean {
  return one.host === other.host && one.port === other.port;
}
