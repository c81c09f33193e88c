import { createHmac, timingSafeEqual } from 'node:crypto';

export const SIGNATURE_HEADER = 'x-hub-signature-256';

/** True for a well-formed signature header, before the body is read. */
export function isSignature(given: unknown): given is string {
  return typeof given === 'string' && /^sha256=[0-9a-f]{64}$/i.test(given);
}

/** True when the body was signed with this secret. Constant time. */
export function isSignedBy(secret: string, body: Uint8Array, signature: string): boolean {
  const wanted = createHmac('sha256', secret).update(body).digest();
  return timingSafeEqual(wanted, Buffer.from(signature.slice('sha256='.length), 'hex'));
}
