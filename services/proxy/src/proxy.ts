import { join } from 'node:path';
import type { Own } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { createMetrics, startProbe } from '@signalbox/platform/probe';
import { startAdmin } from './admin.ts';
import type { ProxyConfig } from './config.ts';
import { createProxyMetrics } from './metrics.ts';
import { createRouteStore } from './route-store.ts';
import { openRouteTable } from './route-table.ts';

export interface Proxy {
  /** Where /healthz, /readyz and /metrics answer. */
  readonly probePort: number;
}

/**
 * Starts the proxy: it carries the traffic of deployed services, each at an address of its own, and switches them between
 * instances. It needs nothing but its folder, so that services are reached whatever else is down. Every part that has to be closed
 * is handed to `own`. Throws STARTUP_REFUSED when its routes cannot be read, or another proxy has its socket.
 */
export async function createProxy(own: Own, config: ProxyConfig, log: Log): Promise<Proxy> {
  const metrics = createMetrics('proxy');
  const forwarding = {
    connectMs: config.PROXY_CONNECT_MS,
    silenceMs: config.PROXY_SILENCE_MS,
    trustForwarded: config.PROXY_TRUST_FORWARDED === 'on',
    metrics: createProxyMetrics(metrics),
    log,
  };
  const store = createRouteStore(join(config.PROXY_DIR, 'routes.json'));
  const table = own(await openRouteTable({ store, forwarding, drainMs: config.PROXY_DRAIN_MS, log }));
  // Closed before the table: what is draining takes no new routes.
  own(await startAdmin({ socket: config.PROXY_SOCKET, table, log }));
  const probe = own(
    await startProbe({
      host: config.PROBE_HOST,
      port: config.PROBE_PORT,
      log,
      metrics,
      problems: () => Promise.resolve([]), // one route that cannot listen is no reason to send the others nothing
      notes: () => table.problems(),
    }),
  );
  log.info('proxy is up', { routes: table.list().length, probePort: probe.port });
  return { probePort: probe.port };
}
