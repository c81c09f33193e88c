import { join } from 'node:path';
import type { RegisterClosable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { createMetrics, startProbe } from '@signalbox/platform/probe';
import { startAdminServer } from './admin.ts';
import type { ProxyConfig } from './config.ts';
import { createProxyMetrics } from './metrics.ts';
import { createRouteStore } from './route-store.ts';
import { openRouteTable } from './route-table.ts';

export interface Proxy {
  /** Port of /healthz, /readyz and /metrics. */
  readonly probePort: number;
}

/** Starts the proxy, which depends on its folder only. Throws STARTUP_REFUSED for unreadable routes or a taken socket. */
export async function createProxy(own: RegisterClosable, config: ProxyConfig, log: Log): Promise<Proxy> {
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
  // Closes before the table, so that no routes are added while it drains.
  own(await startAdminServer({ socket: config.PROXY_SOCKET, table, log }));
  const probe = own(
    await startProbe({
      host: config.PROBE_HOST,
      port: config.PROBE_PORT,
      log,
      metrics,
      problems: () => Promise.resolve([]), // One route that cannot listen must not make the others unready.
      notes: () => table.problems(),
    }),
  );
  log.info('proxy is up', { routes: table.list().length, probePort: probe.port });
  return { probePort: probe.port };
}
