import { z } from 'zod';

const Address = z.object({ host: z.string().min(1).max(253), port: z.number().int().min(1).max(65_535) });

/** A route of the proxy: where it forwards the requests of one service. */
export const Route = z.object({
  /** Name of the service, such as `shop/staging`. */
  service: z.string().min(3).max(120),
  listen: Address,
  upstream: Address,
  release: z.string().min(1).max(200),
  deploymentId: z.string().min(1).max(160),
  /** Epoch of the deployment's lease. The proxy refuses a route whose epoch is lower than that of its current route. */
  fence: z.number().int().nonnegative(),
});
export type Route = z.infer<typeof Route>;

/** A route as the proxy sees it, with the number of open requests for each recent upstream. */
export const RouteState = Route.extend({
  since: z.iso.datetime(),
  open: z.array(z.object({ upstream: Address, requests: z.number().int().nonnegative() })),
  served: z.number().int().nonnegative(),
  failed: z.number().int().nonnegative(),
  /** Why the proxy cannot serve the route, such as a taken port, and what to do; null when it can. */
  problem: z.string().nullable().default(null),
});
export type RouteState = z.infer<typeof RouteState>;
