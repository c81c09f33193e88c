import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { abortAfter } from '@signalbox/contracts/time';
import type { ServiceFile } from '@signalbox/contracts/operations/deploy';
import { parseJson } from '@signalbox/contracts/system-error';
import { z } from 'zod';

/** What a look at a program's health path found: a status, or why there was none; and the release that it reports. */
export interface Look {
  readonly status: number | null;
  readonly problem: string | null;
  /** Nothing listens at that address. */
  readonly isClosed: boolean;
  readonly release: string | null;
  readonly ms: number;
}

const LOOK_MS = 5_000;
const BODY_BYTES = 65_536;

/** Asks a program at its health path. Never throws, but for the reason of the signal. */
export async function probeHealth(
  address: { readonly host: string; readonly port: number },
  file: Pick<ServiceFile, 'health' | 'release'>,
  signal: AbortSignal,
): Promise<Look> {
  const begun = performance.now();
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  try {
    const response = await fetch(`http://${host}:${address.port}${file.health.path}`, {
      redirect: 'manual',
      headers: { connection: 'close', 'user-agent': 'signalbox' },
      signal: AbortSignal.any([signal, abortAfter(LOOK_MS)]),
    });
    const body = await readSome(response);
    const release = releaseOf(response, body, file);
    return {
      status: response.status,
      problem: null,
      isClosed: false,
      release,
      ms: Math.round(performance.now() - begun),
    };
  } catch (error) {
    signal.throwIfAborted();
    return { status: null, ...describe(error), release: null, ms: Math.round(performance.now() - begun) };
  }
}

/** Whether a port of this machine is free. */
export async function isFree(host: string, port: number): Promise<boolean> {
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

/** The kernel's tables of connections, where it has them as Linux does. */
const CONNECTIONS = ['/proc/net/tcp', '/proc/net/tcp6'];

/**
 * Whether connections still stand at a port of this machine, also such as linger for a minute after their program has ended. Node listens
 * there all the same, as `isFree` does; a program that does not ask for that, such as one on Python's socketserver, cannot.
 */
export async function hasConnections(port: number): Promise<boolean> {
  const local = new RegExp(`^\\s*\\d+: [0-9A-F]+:${port.toString(16).toUpperCase().padStart(4, '0')} `, 'm');
  const tables = await Promise.all(CONNECTIONS.map((file) => readFile(file, 'utf8').catch(() => '')));
  return tables.some((table) => local.test(table));
}

/** Whether an answer that says this release, or none, is the release that should serve. */
export function isRelease(reported: string | null, release: string, file: Pick<ServiceFile, 'release'>): boolean {
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

async function readSome(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let room = BODY_BYTES;
  // Its type says nothing of what is in it; fetch gives bytes.
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    parts.push(part.subarray(0, room));
    room -= part.length;
    if (room <= 0) break;
  }
  return Buffer.concat(parts).toString('utf8');
}

/** In words, as far as it is known: the code of the system stands in the cause. */
function describe(error: unknown): Pick<Look, 'problem' | 'isClosed'> {
  const open = (problem: string) => ({ problem, isClosed: false });
  if (!(error instanceof Error)) return open('no answer');
  if (error.name === 'TimeoutError') return open(`no answer within ${LOOK_MS / 1000} s`);
  const { cause } = error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (code === 'ECONNREFUSED') return { problem: 'nobody listens there', isClosed: true };
  if (code === 'ECONNRESET' || code === 'UND_ERR_SOCKET') return open('the connection was closed without an answer');
  return open(`no answer (${code || error.name})`);
}
