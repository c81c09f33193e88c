import { z } from 'zod';

const Address = z.object({ host: z.string().min(1).max(253), port: z.number().int().min(1).max(65_535) });

/** Where the proxy forwards the requests of one service. */
export const Route = z.object({
  /** Such as `shop/staging`. */
  service: z.string().min(3).max(120),
  listen: Address,
  upstream: Address,
  release: z.string().min(1).max(200),
  deploymentId: z.string().min(1).max(160),
  /** Epoch of the deployment's lease; the proxy refuses a route with a lower epoch than its current one. */
  fence: z.number().int().nonnegative(),
});
export type Route = z.infer<typeof Route>;

/** The proxy's view of a route, with the number of open requests per recent upstream. */
export const RouteState = Route.extend({
  since: z.iso.datetime(),
  open: z.array(z.object({ upstream: Address, requests: z.number().int().nonnegative() })),
  served: z.number().int().nonnegative(),
  failed: z.number().int().nonnegative(),
  /** Why no request reaches the route, such as a taken port, and the remedy; null when it works. */
  problem: z.string().nullable().default(null),
});
export type RouteState = z.infer<typeof RouteState>;
