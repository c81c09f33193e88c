import { connect, type Socket } from 'node:net';
import { sleep } from '@signalbox/contracts/time';
import type { RequestLease, LiveRoute } from './live-route.ts';

export interface InstanceConnection {
  readonly lease: RequestLease;
  readonly socket: Socket;
}

/** A switch to a new instance completes within this time. */
const RETRY_DELAY_MS = 100;

/** Connects to the current instance; retries once, as nothing was sent. Throws the second error or the signal's reason. */
export async function connectToInstance(
  live: LiveRoute,
  options: { readonly connectMs: number; readonly signal: AbortSignal; readonly retried: () => void },
): Promise<InstanceConnection> {
  for (let attempt = 1; ; attempt++) {
    const lease = live.lease();
    try {
      return { lease, socket: await open(lease, options.connectMs, options.signal) };
    } catch (error) {
      if (options.signal.aborted || attempt === 2) {
        lease.end(options.signal.aborted ? null : 'failed');
        throw error;
      }
      lease.end(null);
      options.retried();
      await sleep(RETRY_DELAY_MS, options.signal);
    }
  }
}

function open({ address }: RequestLease, connectMs: number, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address.host, port: address.port, noDelay: true });
    const give = (error: Error): void => {
      settle();
      socket.on('error', () => undefined); // The socket may still report an error.
      socket.destroy();
      reject(error);
    };
    const onAbort = (): void => give(new Error('the client went away', { cause: signal.reason }));
    const timer = setTimeout(() => give(new Error(`not connected within ${connectMs} ms`)), connectMs);
    const settle = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      socket.removeListener('error', give);
    };
    socket.once('error', give);
    socket.once('connect', () => {
      settle();
      resolve(socket);
    });
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}
