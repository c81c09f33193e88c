import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics, Counter, Registry } from 'prom-client';
import type { Closable } from './lifecycle.ts';
import { droppedLines } from './standard-output.ts';

export interface Probe extends Closable {
  readonly port: number;
}

/** A registry with Node's own metrics and the count of lost log lines, one per service. */
export function createMetrics(service: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  new Counter({
    name: 'signalbox_log_lines_dropped_total',
    help: 'Log lines that standard output did not take: a full disk, or nobody who reads.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(droppedLines());
    },
  });
  return registry;
}

/**
 * Serves GET /healthz (200 while the event loop turns), /readyz (200, or 503 with the problems) and /metrics.
 * `problems` answers what is not ready, in words; an empty list means ready.
 */
export async function startProbe(options: {
  readonly host: string;
  readonly port: number;
  readonly metrics: Registry;
  readonly problems: () => Promise<readonly string[]>;
  /** What is said on /readyz although the service is ready. */
  readonly notes?: () => readonly string[];
}): Promise<Probe> {
  const answer = async (path: string): Promise<[status: number, body: string, type: string]> => {
    if (path === '/healthz') return [200, 'ok\n', 'text/plain'];
    if (path === '/metrics') return [200, await options.metrics.metrics(), options.metrics.contentType];
    if (path !== '/readyz') return [404, 'try /healthz, /readyz or /metrics\n', 'text/plain'];
    const problems = await options.problems();
    if (problems.length > 0) return [503, `${problems.join('\n')}\n`, 'text/plain'];
    return [200, `${['ready', ...(options.notes?.() ?? [])].join('\n')}\n`, 'text/plain'];
  };
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://probe').pathname;
    answer(path)
      .catch((error: unknown): [number, string, string] => [503, `${String(error)}\n`, 'text/plain'])
      .then(([status, body, type]) => response.writeHead(status, { 'content-type': type }).end(body))
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port, // listening on TCP, so the address is an AddressInfo
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
