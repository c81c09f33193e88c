import type { Route, RouteState } from '@signalbox/contracts/operations/traffic';

/** The traffic switch: Signalbox's own proxy, or HAProxy. */
export interface TrafficSwitch {
  /** True when the switch opens a route's port itself. Otherwise an operator configures the port. */
  readonly opensDoors: boolean;
  current(service: string, signal: AbortSignal): Promise<RouteState | null>;
  /** Sends new requests to the route's upstream; open requests continue. Idempotent. Throws ROUTE_REFUSED for a lower epoch. */
  switchTo(route: Route, signal: AbortSignal): Promise<RouteState>;
  /** Removes the route; does nothing when there is no route. Throws ROUTE_REFUSED for a lower epoch. */
  remove(service: string, epoch: number, signal: AbortSignal): Promise<void>;
  /** Counts open requests to an upstream of the service, also after its route was removed. */
  open(service: string, upstream: Route['upstream'], signal: AbortSignal): Promise<number>;
}
