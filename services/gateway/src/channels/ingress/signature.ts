import { createHmac, timingSafeEqual } from 'node:crypto';

/** Who sends. */
export const SOURCE_HEADER = 'x-signalbox-source';
/** When it was signed, in seconds since 1970. */
export const TIMESTAMP_HEADER = 'x-signalbox-timestamp';
/** `v1=` and the signature. */
export const SIGNATURE_HEADER = 'x-signalbox-signature';

/** How far a timestamp may be off: two clocks, and the way between them. */
const WINDOW_SECONDS = 300;

/**
 * What a request is signed with: HMAC-SHA-256 over the timestamp, a dot and its content. That is the body as it is sent, or the id of the
 * event that is read.
 */
export function sign(secret: string, timestamp: string, content: Buffer | string): string {
  return `v1=${createHmac('sha256', secret).update(`${timestamp}.`).update(content).digest('hex')}`;
}

/** Whether a signature was made with one of these secrets. Takes the same time whatever is given. */
export function isSignedBy(
  secrets: readonly string[],
  signed: { readonly timestamp: string; readonly content: Buffer; readonly signature: string },
): boolean {
  const given = Buffer.from(signed.signature);
  let isSigned = false;
  for (const secret of secrets) {
    const made = Buffer.from(sign(secret, signed.timestamp, signed.content));
    if (given.length === made.length && timingSafeEqual(given, made)) isSigned = true;
  }
  return isSigned;
}

/** A signature as it is written, in lower case as we write it. */
export function isSignature(text: string): boolean {
  return /^v1=[0-9a-f]{64}$/.test(text);
}

/** Whether something that was signed at this time, in seconds, may be new at `nowMs`. */
export function isInWindow(timestamp: string, nowMs: number): boolean {
  return /^\d{1,12}$/.test(timestamp) && Math.abs(nowMs / 1_000 - Number(timestamp)) <= WINDOW_SECONDS;
}
