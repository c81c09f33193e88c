import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { MINUTE_MS } from '@signalbox/contracts/time';
import { isLoopback } from './origin.ts';

/** Wrong codes per address within the window. Codes have 60 random bits, so this limits only load and log lines. */
const MAX_FAILURES = 10;
const WITHIN_MS = 10 * MINUTE_MS;
const MAX_ADDRESSES = 10_000;

/** Counts failed sign-ins by address, in this process. `now` is a monotonic clock in milliseconds. */
export function createAttemptLimit(now: () => number = () => performance.now()) {
  const failed = new Map<string, { count: number; readonly untilMs: number }>();
  return {
    /** Milliseconds until this address may try again; 0 when it may now. */
    waitMs(address: string): number {
      const known = failed.get(address);
      return known && known.count >= MAX_FAILURES ? Math.max(0, known.untilMs - now()) : 0;
    },
    fail(address: string): void {
      const known = failed.get(address);
      if (known && known.untilMs > now()) known.count += 1;
      else {
        failed.delete(address);
        failed.set(address, { count: 1, untilMs: now() + WITHIN_MS });
      }
      const [oldest] = failed.keys();
      if (failed.size > MAX_ADDRESSES && oldest !== undefined) failed.delete(oldest);
    },
  };
}

/**
 * The address of a request's client. Of X-Forwarded-For the last entry counts, if a proxy on this machine or a private network sent it.
 * IPv6 addresses are reduced to their network, which one caller owns.
 */
export function getClientAddress({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>): string {
  const peer = (socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  const said = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .at(-1)
    ?.trim();
  const address = isNear(peer) && said && isIP(said) !== 0 ? said : peer;
  return isIP(address) === 6 ? address.split(':').slice(0, 4).join(':') : address;
}

function isNear(address: string): boolean {
  return isLoopback(address) || /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|f[cd])/.test(address);
}
