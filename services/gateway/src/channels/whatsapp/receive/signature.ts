import { createHmac, timingSafeEqual } from 'node:crypto';

export const SIGNATURE_HEADER = 'x-hub-signature-256';

/** Whether a header has the form of a signature, before anything is read of what it signs. */
export function isSignature(given: unknown): given is string {
  return typeof given === 'string' && /^sha256=[0-9a-f]{64}$/i.test(given);
}

/** Whether a body was signed with this secret. The comparison takes equally long whatever differs. */
export function isSignedBy(secret: string, body: Uint8Array, signature: string): boolean {
  const wanted = createHmac('sha256', secret).update(body).digest();
  return timingSafeEqual(wanted, Buffer.from(signature.slice('sha256='.length), 'hex'));
}
