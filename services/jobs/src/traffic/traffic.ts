import type { Route, RouteState } from '@signalbox/contracts/operations/traffic';

/** What decides which instance serves: our proxy, or HAProxy. */
export interface Traffic {
  /** Whether it begins to listen where a route says; else that was configured, and something listens there before the first route. */
  readonly opensDoors: boolean;
  /** Null when it has no route for the service. */
  current(service: string, signal: AbortSignal): Promise<RouteState | null>;
  /**
   * Sends every new request to the route's upstream from when it settles on. Requests on their way are not cut. The same route
   * again changes nothing. Throws ROUTE_REFUSED when a route with a higher epoch is there.
   */
  switchTo(route: Route, signal: AbortSignal): Promise<RouteState>;
  /** Takes the route away. Harmless when there is none; throws ROUTE_REFUSED for a lower epoch. */
  remove(service: string, epoch: number, signal: AbortSignal): Promise<void>;
  /** How many requests are on their way to an upstream of the service, also of a route that was taken away. */
  open(service: string, upstream: Route['upstream'], signal: AbortSignal): Promise<number>;
}
