import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { Readable } from 'node:stream';
import { abortAfter, SECOND_MS } from '@signalbox/contracts/time';
import type { ServiceFile } from '@signalbox/contracts/operations/deploy';
import { parseJson } from '@signalbox/contracts/system-error';
import { say } from '@signalbox/messages/say';
import { z } from 'zod';

/** Response of a program at its health path: status and reported release, or the problem that prevented a response. */
export interface HealthProbe {
  readonly status: number | null;
  /** True when the status is the one that says that it can serve. */
  readonly isHealthy: boolean;
  /** Where an answer such as 301 leads. */
  readonly location: string | null;
  readonly problem: string | null;
  /** Says the problem in the current language. */
  readonly sayProblem: (() => string) | null;
  /** True when no program listens at the address. */
  readonly isClosed: boolean;
  /** True when no answer came in time. */
  readonly isTimedOut: boolean;
  readonly release: string | null;
  readonly ms: number;
}

const PROBE_MS = 5_000;
const MAX_BODY_BYTES = 65_536;

/** Probes a program at its health path. Throws only the signal's reason. */
export async function probeHealth(
  address: { readonly host: string; readonly port: number },
  file: Pick<ServiceFile, 'health' | 'release'>,
  signal: AbortSignal,
): Promise<HealthProbe> {
  const { path, status: wanted = 200, headers } = file.health;
  const { response, body, ms, problem, sayProblem, isClosed, isTimedOut } = await requestPath(
    address,
    path,
    signal,
    headers,
  );
  const release = response && releaseOf(response, body.toString('utf8'), file);
  const status = response?.status ?? null;
  const location = response?.headers.get('location') ?? null;
  const isHealthy = status === wanted;
  return { status, isHealthy, location, problem, sayProblem, isClosed, isTimedOut, release, ms };
}

/** Stands for an answer that nobody could ask for. */
export function createMissingProbe(problem: string): HealthProbe {
  return {
    status: null,
    isHealthy: false,
    location: null,
    problem,
    sayProblem: null,
    isClosed: false,
    isTimedOut: false,
    release: null,
    ms: 0,
  };
}

/** Says how a program answered last, where that leads, and what it was asked. */
export function describeLastAnswer(
  { status, location, problem }: HealthProbe,
  address: { readonly host: string; readonly port: number },
  { health }: Pick<ServiceFile, 'health'>,
): string {
  if (status === null) return say('deployment.lastProblem', { problem: problem ?? say('health.noAnswerError') });
  const { path, headers = {} } = health;
  const given = Object.entries(headers).find(([name]) => name.toLowerCase() === 'host')?.[1];
  return say('deployment.lastAnswer', {
    status,
    hasLocation: location !== null,
    location: (location ?? '').slice(0, 300),
    path,
    host: given ?? `${address.host}:${address.port}`,
    advice: getAdvice(status),
  });
}

/** Programs that want another Host refuse with one of these. */
const REFUSED_HOST: readonly number[] = [400, 403, 404, 421];

function getAdvice(status: number): 'status' | 'host' | 'none' {
  if (status < 400) return 'status';
  return REFUSED_HOST.includes(status) ? 'host' : 'none';
}

interface PathResponse {
  /** Null when no program responded. */
  readonly response: Response | null;
  /** At most 64 KiB of the body. */
  readonly body: Buffer;
  readonly isCut: boolean;
  readonly ms: number;
  readonly problem: string | null;
  readonly sayProblem: (() => string) | null;
  readonly isClosed: boolean;
  readonly isTimedOut: boolean;
}

/** Requests a path of a program, without cookies or credentials, for 5 s. Follows no redirect. Throws only the signal's reason. */
export async function requestPath(
  address: { readonly host: string; readonly port: number },
  path: string,
  signal: AbortSignal,
  headers: Readonly<Record<string, string>> = {},
): Promise<PathResponse> {
  const startedAt = performance.now();
  const took = () => Math.round(performance.now() - startedAt);
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  try {
    const response = await ask(`http://${host}:${address.port}${path}`, {
      headers: { 'user-agent': 'signalbox', ...headers, connection: 'close' },
      signal: AbortSignal.any([signal, abortAfter(PROBE_MS)]),
    });
    const read = await readSome(response);
    return { response, ...read, ms: took(), ...NO_PROBLEM };
  } catch (error) {
    signal.throwIfAborted();
    return { response: null, body: Buffer.alloc(0), isCut: false, ms: took(), ...describe(error) };
  }
}

const NO_PROBLEM = { problem: null, sayProblem: null, isClosed: false, isTimedOut: false };

interface Asked {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Requests an address and follows no redirect. `fetch` writes a Host of its own, so another one is written by node:http. */
function ask(url: string, { headers, signal }: Asked): Promise<Response> {
  const namesHost = Object.keys(headers).some((name) => name.toLowerCase() === 'host');
  if (!namesHost) return fetch(url, { redirect: 'manual', headers, signal });
  return new Promise((resolve, reject) => {
    const asked = request(url, { headers, signal }, (answer) => {
      const { statusCode: status = 0, headersDistinct } = answer;
      const fields = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
        values.map((value): [string, string] => [name, value]),
      );
      answer.on('error', () => undefined); // A cut body is read as far as it came.
      resolve(new Response(WITHOUT_BODY.has(status) ? null : Readable.toWeb(answer), { status, headers: fields }));
    });
    asked.once('error', (cause) => {
      const reason: unknown = signal.reason;
      reject(reason instanceof Error ? reason : new TypeError('no answer', { cause }));
    });
    asked.end();
  });
}

/** Statuses of answers that have no body. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

export async function isPortFree(host: string, port: number): Promise<boolean> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ port, host, exclusive: true }, resolve);
    });
    return true;
  } catch {
    return false;
  } finally {
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
}

/** Connection tables of the Linux kernel. */
const CONNECTIONS = ['/proc/net/tcp', '/proc/net/tcp6'];

/**
 * True when a port of this machine still has connections, including those in TIME_WAIT. Node can listen on such a port; a program that
 * does not set SO_REUSEADDR, such as one on Python's socketserver, cannot.
 */
export async function hasConnections(port: number): Promise<boolean> {
  const local = new RegExp(`^\\s*\\d+: [0-9A-F]+:${port.toString(16).toUpperCase().padStart(4, '0')} `, 'm');
  const tables = await Promise.all(CONNECTIONS.map((file) => readFile(file, 'utf8').catch(() => '')));
  return tables.some((table) => local.test(table));
}

/** True when the reported release, or a missing report, agrees with the release that should serve. */
export function isExpectedRelease(
  reported: string | null,
  release: string,
  file: Pick<ServiceFile, 'release'>,
): boolean {
  return reported === release || file.release?.from === 'instance' || (!file.release && reported === null);
}

function releaseOf(
  response: Response,
  body: string,
  { release = { from: 'header', name: 'x-release' } }: Pick<ServiceFile, 'release'>,
): string | null {
  switch (release.from) {
    case 'header':
      return response.headers.get(release.name);
    case 'json': {
      const answer = z.record(z.string(), z.unknown()).safeParse(parseJson(body));
      const value = answer.success ? answer.data[release.field] : undefined;
      return typeof value === 'string' ? value : null;
    }
    case 'instance':
      return null;
  }
}

async function readSome(response: Response): Promise<Pick<PathResponse, 'body' | 'isCut'>> {
  const parts: Uint8Array[] = [];
  let room = MAX_BODY_BYTES;
  // `fetch` yields bytes, although its type does not say so.
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    parts.push(part.subarray(0, room));
    room -= part.length;
    if (room < 0) break;
  }
  return { body: Buffer.concat(parts), isCut: room < 0 };
}

/** Explains why the program did not respond. `fetch` puts the system error code into `cause`. */
function describe(error: unknown): Pick<PathResponse, 'problem' | 'sayProblem' | 'isClosed' | 'isTimedOut'> {
  const because = (sayProblem: () => string, more = {}) => ({
    ...NO_PROBLEM,
    problem: sayProblem(),
    sayProblem,
    ...more,
  });
  if (!(error instanceof Error)) return because(() => say('health.noAnswerError'));
  if (error.name === 'TimeoutError')
    return because(() => say('health.noAnswerWithin', { seconds: PROBE_MS / SECOND_MS }), { isTimedOut: true });
  const { cause } = error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (code === 'ECONNREFUSED') return because(() => say('health.nobodyListens'), { isClosed: true });
  if (code === 'ECONNRESET' || code === 'UND_ERR_SOCKET') return because(() => say('health.closedConnection'));
  return because(() => `${say('health.noAnswerError')} (${code || error.name})`);
}
