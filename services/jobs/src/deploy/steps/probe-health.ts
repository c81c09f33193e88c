import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { abortAfter } from '@signalbox/contracts/time';
import type { ServiceFile } from '@signalbox/contracts/operations/deploy';
import { parseJson } from '@signalbox/contracts/system-error';
import { z } from 'zod';

/** Response of a program at its health path: status and reported release, or the problem that prevented a response. */
export interface HealthProbe {
  readonly status: number | null;
  readonly problem: string | null;
  /** True when no program listens at the address. */
  readonly isClosed: boolean;
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
  const { response, body, ms, problem, isClosed } = await requestPath(address, file.health.path, signal);
  const release = response && releaseOf(response, body.toString('utf8'), file);
  return { status: response?.status ?? null, problem, isClosed, release, ms };
}

interface PathResponse {
  /** Null when no program responded. */
  readonly response: Response | null;
  /** At most 64 KiB of the body. */
  readonly body: Buffer;
  readonly isCut: boolean;
  readonly ms: number;
  readonly problem: string | null;
  readonly isClosed: boolean;
}

/** Requests a path of a program, without cookies or credentials, for 5 s. Follows no redirect. Throws only the signal's reason. */
export async function requestPath(
  address: { readonly host: string; readonly port: number },
  path: string,
  signal: AbortSignal,
): Promise<PathResponse> {
  const startedAt = performance.now();
  const took = () => Math.round(performance.now() - startedAt);
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  try {
    const response = await fetch(`http://${host}:${address.port}${path}`, {
      redirect: 'manual',
      headers: { connection: 'close', 'user-agent': 'signalbox' },
      signal: AbortSignal.any([signal, abortAfter(PROBE_MS)]),
    });
    const read = await readSome(response);
    return { response, ...read, ms: took(), problem: null, isClosed: false };
  } catch (error) {
    signal.throwIfAborted();
    return { response: null, body: Buffer.alloc(0), isCut: false, ms: took(), ...describe(error) };
  }
}

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
function describe(error: unknown): Pick<HealthProbe, 'problem' | 'isClosed'> {
  const open = (problem: string) => ({ problem, isClosed: false });
  if (!(error instanceof Error)) return open('no answer');
  if (error.name === 'TimeoutError') return open(`no answer within ${PROBE_MS / 1000} s`);
  const { cause } = error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (code === 'ECONNREFUSED') return { problem: 'nobody listens there', isClosed: true };
  if (code === 'ECONNRESET' || code === 'UND_ERR_SOCKET') return open('the connection was closed without an answer');
  return open(`no answer (${code || error.name})`);
}
