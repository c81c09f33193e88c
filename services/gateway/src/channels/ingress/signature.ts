import { createHmac, timingSafeEqual } from 'node:crypto';

export const SOURCE_HEADER = 'x-signalbox-source';
/** Holds the time of signing, in seconds since 1970. */
export const TIMESTAMP_HEADER = 'x-signalbox-timestamp';
/** Holds `v1=` and the signature in hexadecimal. */
export const SIGNATURE_HEADER = 'x-signalbox-signature';

/** Allows for clock differences and transport. */
const WINDOW_SECONDS = 300;

/** Signs the timestamp, a dot and the content (the raw body, or the id of the event to read) with HMAC-SHA-256. */
export function signContent(secret: string, timestamp: string, content: Buffer | string): string {
  return `v1=${createHmac('sha256', secret).update(`${timestamp}.`).update(content).digest('hex')}`;
}

/** True when one of these secrets made the signature. Takes constant time. */
export function hasValidSignature(
  secrets: readonly string[],
  signed: { readonly timestamp: string; readonly content: Buffer; readonly signature: string },
): boolean {
  const actual = Buffer.from(signed.signature);
  let isSigned = false;
  for (const secret of secrets) {
    const expected = Buffer.from(signContent(secret, signed.timestamp, signed.content));
    if (actual.length === expected.length && timingSafeEqual(actual, expected)) isSigned = true;
  }
  return isSigned;
}

export function isSignature(text: string): boolean {
  return /^v1=[0-9a-f]{64}$/.test(text);
}

/** True when `timestamp` (in seconds) is at most five minutes from `nowMs`. */
export function isFreshTimestamp(timestamp: string, nowMs: number): boolean {
  return /^\d{1,12}$/.test(timestamp) && Math.abs(nowMs / 1_000 - Number(timestamp)) <= WINDOW_SECONDS;
}
