import { verify, type KeyObject } from 'node:crypto';

export interface AppKey {
  readonly id: string;
  readonly publicKey: KeyObject;
}

const MAX_SECONDS = 600;

/** True for a token that the App signed, of at most ten minutes. */
export function isSignedBy({ id, publicKey }: AppKey, token: string): boolean {
  const [head = '', claims = '', signature = ''] = token.split('.');
  const content = Buffer.from(`${head}.${claims}`);
  if (!verify('RSA-SHA256', content, publicKey, Buffer.from(signature, 'base64url'))) return false;
  // The signature covers the text, so it is what the App wrote.
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
  const { iat, exp, iss } = read(claims);
  const now = Date.now() / 1_000;
  const isTimely = Number(iat) <= now && Number(exp) > now && Number(exp) - Number(iat) <= MAX_SECONDS;
  return isTimely && iss === id && read(head)['alg'] === 'RS256';
}
