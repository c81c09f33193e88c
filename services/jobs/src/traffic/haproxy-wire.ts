import { connect } from 'node:net';
import type { Route } from '@signalbox/contracts/operations/traffic';
import { AppError } from '@signalbox/contracts/errors';
import { SECOND_MS, abortAfter } from '@signalbox/contracts/time';

/** A server of a backend, as HAProxy reports it. */
export interface HaproxyServer {
  readonly name: string;
  readonly address: Route['upstream'];
  /** True when the server gets new requests: neither draining nor in maintenance. */
  readonly isReady: boolean;
  readonly requests: number;
  readonly served: number;
  readonly failed: number;
}

const DEADLINE_MS = 5 * SECOND_MS;
/** Matches HAProxy's success messages; any other message is a refusal. */
const AGREED = /^(?:|IP changed .*|port changed .*|no need to change .*|nothing changed.*)$/;

/** Runs commands of the runtime socket in order. Throws ROUTE_REFUSED with HAProxy's message, UPSTREAM_UNAVAILABLE. */
export async function askHaproxy(socket: string, commands: readonly string[], signal: AbortSignal): Promise<void> {
  for (const command of commands) {
    const lines = (await talk(socket, command, signal)).split('\n').map((line) => line.trim());
    const refusal = lines.find((line) => !AGREED.test(line));
    if (refusal !== undefined)
      throw new AppError('ROUTE_REFUSED', { reason: `HAProxy refused "${command}": ${refusal}` });
  }
}

/** Lists the servers of a backend; empty when the backend does not exist. */
export async function readServers(socket: string, backend: string, signal: AbortSignal): Promise<HaproxyServer[]> {
  const [head = '', ...rows] = (await talk(socket, 'show stat', signal)).split('\n');
  const names = head.replace(/^# /, '').split(',');
  const servers: HaproxyServer[] = [];
  for (const row of rows) {
    const cells = row.split(',');
    const cell = (name: string): string => cells[names.indexOf(name)] ?? '';
    const address = parseAddress(cell('addr'));
    if (cell('pxname') !== backend || address === null) continue;
    servers.push({
      name: cell('svname'),
      address,
      isReady: !/^(?:DRAIN|MAINT)/.test(cell('status')),
      requests: Number(cell('scur')),
      served: Number(cell('stot')),
      failed: Number(cell('econ')) + Number(cell('eresp')),
    });
  }
  return servers;
}

/** Parses `127.0.0.1:80` or `[::1]:80`; null for other text. */
function parseAddress(text: string): Route['upstream'] | null {
  const at = text.lastIndexOf(':');
  const port = Number(text.slice(at + 1));
  if (at < 1 || !Number.isInteger(port)) return null;
  return { host: text.slice(0, at).replace(/^\[|\]$/g, ''), port };
}

function talk(path: string, command: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const over = AbortSignal.any([signal, abortAfter(DEADLINE_MS)]);
    const parts: Buffer[] = [];
    const socket = connect({ path, signal: over }, () => socket.write(`${command}\n`)); // HAProxy answers one command and closes the connection.
    socket.on('data', (part) => parts.push(part));
    socket.once('end', () => resolve(Buffer.concat(parts).toString('utf8').trimEnd()));
    socket.once('error', (cause) => {
      if (signal.aborted)
        reject(signal.reason as Error); // Every abort here carries an Error.
      else reject(new AppError('UPSTREAM_UNAVAILABLE', { service: 'HAProxy' }, cause));
    });
    socket.once('close', () => reject(new AppError('UPSTREAM_UNAVAILABLE', { service: 'HAProxy' }))); // After a complete answer this rejection has no effect.
  });
}
