import { connect, type Socket } from 'node:net';
import { sleep } from '@signalbox/contracts/time';
import type { Lease, LiveRoute } from './live-route.ts';

/** A connection to the instance that has this request. */
export interface Reached {
  readonly lease: Lease;
  readonly socket: Socket;
}

/** An instance that is just being exchanged is there a moment later. */
const AGAIN_AFTER_MS = 100;

/**
 * Connects to the instance of now. When it is not there, nothing was sent yet, so it is safe to try once more, with the instance
 * of then: a switch may have happened meanwhile. Throws what the second attempt met, or the signal's reason.
 */
export async function reach(
  live: LiveRoute,
  options: { readonly connectMs: number; readonly signal: AbortSignal; readonly retried: () => void },
): Promise<Reached> {
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
      await sleep(AGAIN_AFTER_MS, options.signal);
    }
  }
}

function open({ address }: Lease, connectMs: number, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address.host, port: address.port, noDelay: true });
    const give = (error: Error): void => {
      settle();
      socket.on('error', () => undefined); // it may still report its end
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
