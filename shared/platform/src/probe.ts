import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics, Counter, Gauge, Registry } from '@prometheus-io/client';
import type { Closable } from './lifecycle.ts';
import type { Log } from './log.ts';
import { createGauge } from './metrics.ts';
import { countDroppedLines } from './standard-output.ts';
import { VERSION } from './version.ts';
import { computeBackoffMs, SECOND_MS, sleep, waitAtMost } from '@signalbox/contracts/time';

/** What /metrics and /readyz report once the service runs. */
export interface ProbeReport {
  readonly metrics: Registry;
  /** Reasons why the service is not ready; empty when the service is ready. */
  readonly problems: () => Promise<readonly string[]>;
  /** Remarks shown on /readyz while the service is ready. */
  readonly notes?: () => readonly string[] | Promise<readonly string[]>;
}

export interface Probe extends Closable {
  readonly port: number;
  /** Makes /readyz and /metrics report `parts` from now on. */
  serve(parts: ProbeReport): void;
  /** Makes /readyz answer 503 with these reasons from now on. */
  wait(reasons: readonly string[]): void;
}

/** Time limit of a readiness check. Kubernetes probes usually time out after three seconds. */
const CHECK_TIMEOUT_MS = 2.5 * SECOND_MS;
/** Time limit of notes; slower notes are left out of /readyz. */
const NOTES_TIMEOUT_MS = 0.4 * SECOND_MS;
const MIN_RETRY_MS = SECOND_MS;
const MAX_RETRY_MS = 15 * SECOND_MS;

/** Sample interval of the event loop's delay and utilization, in milliseconds: each sample wakes the process. */
const LOOP_SAMPLE_MS = 1_000;

/** Creates the registry of a service with Node's own metrics, the version and the count of lost log lines. */
export function createMetrics(service: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({
    register: registry,
    eventLoopMonitoringPrecision: LOOP_SAMPLE_MS,
    eventLoopUtilizationTimeout: LOOP_SAMPLE_MS,
  });
  const help = 'Always 1; the label says which release runs.';
  new Gauge({ name: 'signalbox_build_info', help, labelNames: ['version'], registers: [registry] }).set(
    { version: VERSION },
    1,
  );
  new Counter({
    name: 'signalbox_log_lines_dropped_total',
    help: 'Log lines that standard output did not take: a full disk, or a slow reader.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(countDroppedLines());
    },
  });
  return registry;
}

/** Opens a probe that reports `parts` at once, for a service without dependencies. */
export async function startProbe(options: ProbeReport & Parameters<typeof openProbe>[0]): Promise<Probe> {
  const probe = await openProbe(options);
  probe.serve(options);
  return probe;
}

/**
 * Serves GET /healthz (200 while the event loop runs), /readyz (200, or 503 with the problems) and /metrics. Until
 * `serve` is called, the service counts as starting, which is not ready. When the port is taken, the log says what to
 * do and listening is retried: the service works without its probe.
 */
export async function openProbe(options: {
  readonly host: string;
  readonly port: number;
  readonly log: Log;
}): Promise<Probe> {
  let state: ProbeReport | readonly string[] = ['starting'];
  const respond = async (path: string): Promise<ProbeResponse> => {
    if (path === '/healthz') return textResponse(200, 'ok');
    const current = state;
    if (path === '/readyz')
      return 'problems' in current ? checkReadiness(current) : textResponse(503, current.join('\n'));
    if (path !== '/metrics') return textResponse(404, 'try /healthz, /readyz or /metrics');
    return 'metrics' in current
      ? [200, await current.metrics.metrics(), current.metrics.contentType]
      : textResponse(503, 'starting');
  };
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://probe').pathname;
    respond(path)
      .catch((error: unknown): ProbeResponse => textResponse(503, String(error)))
      .then(([status, body, type]) => response.writeHead(status, { 'content-type': type }).end(body))
      .catch(() => response.destroy());
  });
  const closing = new AbortController();
  const retrying = (await listen(server, options))
    ? Promise.resolve()
    : retryListening(server, options, closing.signal);
  const address = server.address() as AddressInfo | null; // a TCP address, or null while the server does not listen
  return {
    port: address?.port ?? options.port,
    serve: (parts) => {
      exportReadiness(parts);
      state = parts;
    },
    wait: (reasons) => void (state = reasons),
    close: async () => {
      closing.abort();
      await retrying;
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

/** Exports what /readyz answers, so that an alarm on it needs no second prober. */
function exportReadiness({ metrics, problems }: ProbeReport): void {
  const name = 'signalbox_ready';
  metrics.removeSingleMetric(name);
  createGauge(metrics, name, '1 while /readyz answers 200, else 0.', [], {
    collect: async () => {
      const found = await waitAtMost(problems(), CHECK_TIMEOUT_MS).catch(() => undefined);
      return [{ labels: {}, value: found?.length === 0 ? 1 : 0 }];
    },
  });
}

type ProbeResponse = readonly [status: number, body: string, type: string];

function textResponse(status: number, body: string): ProbeResponse {
  return [status, `${body}\n`, 'text/plain'];
}

async function checkReadiness({ problems, notes }: ProbeReport): Promise<ProbeResponse> {
  const reasons = (await waitAtMost(problems(), CHECK_TIMEOUT_MS)) ?? [
    `no answer within ${CHECK_TIMEOUT_MS / SECOND_MS} s`,
  ];
  if (reasons.length > 0) return textResponse(503, reasons.join('\n'));
  const remarks = (await waitAtMost(Promise.resolve(notes?.() ?? []), NOTES_TIMEOUT_MS)) ?? [];
  return textResponse(200, ['ready', ...remarks].join('\n'));
}

/** Returns false when the port is taken, which it logs unless `isLogged`. */
async function listen(
  server: Server,
  { host, port, log }: Parameters<typeof openProbe>[0],
  isLogged = false,
): Promise<boolean> {
  const problem = await new Promise<NodeJS.ErrnoException | null>((resolve) => {
    server.once('error', resolve);
    server.listen(port, host, () => {
      server.off('error', resolve);
      resolve(null);
    });
  });
  if (problem !== null && !isLogged)
    log.error('the probe cannot listen; it is tried again, and the service works without it', {
      problem: `${host}:${port}: ${problem.code ?? problem.message}`,
      remedy: 'End the program that has the port, or set PROBE_HOST and PROBE_PORT.',
    });
  if (problem === null && isLogged) log.info('the probe listens', { host, port });
  return problem === null;
}

async function retryListening(
  server: Server,
  options: Parameters<typeof openProbe>[0],
  signal: AbortSignal,
): Promise<void> {
  for (let attempt = 1; !signal.aborted; attempt += 1) {
    await sleep(computeBackoffMs(attempt, MIN_RETRY_MS, MAX_RETRY_MS), signal);
    if (signal.aborted || (await listen(server, options, true))) return;
  }
}
