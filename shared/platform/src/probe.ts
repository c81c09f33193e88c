import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics, Counter, Registry } from 'prom-client';
import type { Closable } from './lifecycle.ts';
import type { Log } from './log.ts';
import { droppedLines } from './standard-output.ts';
import { backoffMs, SECOND_MS, sleep, withinMs } from '@signalbox/contracts/time';

/** What a probe answers with once the service runs. */
export interface ProbeParts {
  readonly metrics: Registry;
  /** What is not ready, in words; an empty list means ready. */
  readonly problems: () => Promise<readonly string[]>;
  /** What is said on /readyz although the service is ready. */
  readonly notes?: () => readonly string[] | Promise<readonly string[]>;
}

export interface Probe extends Closable {
  readonly port: number;
  /** From now on the service is as ready as `parts` say. */
  serve(parts: ProbeParts): void;
  /** From now on the service is not ready, for these reasons. */
  wait(reasons: readonly string[]): void;
}

/** Probes usually wait for three seconds: a check that hangs is an answer too. */
const CHECKS_MS = 2.5 * SECOND_MS;
/** Whoever is ready says so in time, with or without its notes. */
const NOTES_MS = 0.4 * SECOND_MS;
const FIRST_AGAIN_MS = SECOND_MS;
const LAST_AGAIN_MS = 15 * SECOND_MS;

/** How often the delay of the event loop is sampled, in milliseconds: each sample wakes the process. */
const DELAY_EVERY_MS = 1_000;

/** A registry with Node's own metrics and the count of lost log lines, one per service. */
export function createMetrics(service: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: DELAY_EVERY_MS });
  new Counter({
    name: 'signalbox_log_lines_dropped_total',
    help: 'Log lines that standard output did not take: a full disk, or a slow reader.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(droppedLines());
    },
  });
  return registry;
}

/** Opens a probe of a service that needs nothing to begin with: as `openProbe`, and it serves at once. */
export async function startProbe(options: ProbeParts & Parameters<typeof openProbe>[0]): Promise<Probe> {
  const probe = await openProbe(options);
  probe.serve(options);
  return probe;
}

/**
 * Serves GET /healthz (200 while the event loop turns), /readyz (200, or 503 with the problems) and /metrics. Until `serve` is called
 * the service is starting, and not ready. A port that another program has is said with what to do and tried again: the service works
 * without its probe.
 */
export async function openProbe(options: {
  readonly host: string;
  readonly port: number;
  readonly log: Log;
}): Promise<Probe> {
  let state: ProbeParts | readonly string[] = ['starting'];
  const answer = async (path: string): Promise<Answer> => {
    if (path === '/healthz') return text(200, 'ok');
    const now = state;
    if (path === '/readyz') return 'problems' in now ? readiness(now) : text(503, now.join('\n'));
    if (path !== '/metrics') return text(404, 'try /healthz, /readyz or /metrics');
    return 'metrics' in now ? [200, await now.metrics.metrics(), now.metrics.contentType] : text(503, 'starting');
  };
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://probe').pathname;
    answer(path)
      .catch((error: unknown): Answer => text(503, String(error)))
      .then(([status, body, type]) => response.writeHead(status, { 'content-type': type }).end(body))
      .catch(() => response.destroy());
  });
  const closing = new AbortController();
  const again = (await listen(server, options)) ? Promise.resolve() : listenAgain(server, options, closing.signal);
  const address = server.address() as AddressInfo | null; // it listens on TCP, or not yet
  return {
    port: address?.port ?? options.port,
    serve: (parts) => void (state = parts),
    wait: (reasons) => void (state = reasons),
    close: async () => {
      closing.abort();
      await again;
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

type Answer = readonly [status: number, body: string, type: string];

function text(status: number, body: string): Answer {
  return [status, `${body}\n`, 'text/plain'];
}

async function readiness({ problems, notes }: ProbeParts): Promise<Answer> {
  const found = (await withinMs(problems(), CHECKS_MS)) ?? [`no answer within ${CHECKS_MS / SECOND_MS} s`];
  if (found.length > 0) return text(503, found.join('\n'));
  const noted = (await withinMs(Promise.resolve(notes?.() ?? []), NOTES_MS)) ?? [];
  return text(200, ['ready', ...noted].join('\n'));
}

/** False, and said, when the port cannot be had now. */
async function listen(
  server: Server,
  { host, port, log }: Parameters<typeof openProbe>[0],
  isSaid = false,
): Promise<boolean> {
  const problem = await new Promise<NodeJS.ErrnoException | null>((resolve) => {
    server.once('error', resolve);
    server.listen(port, host, () => {
      server.off('error', resolve);
      resolve(null);
    });
  });
  if (problem !== null && !isSaid)
    log.error('the probe cannot listen; it is tried again, and the service works without it', {
      problem: `${host}:${port}: ${problem.code ?? problem.message}`,
      remedy: 'End the program that has the port, or set PROBE_HOST and PROBE_PORT.',
    });
  if (problem === null && isSaid) log.info('the probe listens', { host, port });
  return problem === null;
}

async function listenAgain(
  server: Server,
  options: Parameters<typeof openProbe>[0],
  signal: AbortSignal,
): Promise<void> {
  for (let attempt = 1; !signal.aborted; attempt += 1) {
    await sleep(backoffMs(attempt, FIRST_AGAIN_MS, LAST_AGAIN_MS), signal);
    if (signal.aborted || (await listen(server, options, true))) return;
  }
}
