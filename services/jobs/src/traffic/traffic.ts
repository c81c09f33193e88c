import type { Route, RouteState } from '@signalbox/contracts/operations/traffic';

/** The traffic switch: our proxy, or HAProxy. */
export interface Traffic {
  /** True when it opens a route's port itself; otherwise the port is configured and open before the first route. */
  readonly opensDoors: boolean;
  /** The current route of a service, or null. */
  current(service: string, signal: AbortSignal): Promise<RouteState | null>;
  /**
   * Sends every new request to the route's upstream from when it settles on. Requests on their way are not cut. The same route
   * again changes nothing. Throws ROUTE_REFUSED when a route with a higher epoch is there.
   */
  switchTo(route: Route, signal: AbortSignal): Promise<RouteState>;
  /** Removes the route; no error without one. Throws ROUTE_REFUSED for a lower epoch. */
  remove(service: string, epoch: number, signal: AbortSignal): Promise<void>;
  /** Open requests to an upstream of the service, also after its route was removed. */
  open(service: string, upstream: Route['upstream'], signal: AbortSignal): Promise<number>;
}
