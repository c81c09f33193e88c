import { findSecrets } from '../redact/find.ts';
import type { SecretSealer } from './cipher.ts';

/** A secret that was taken out of a text. */
export interface HiddenSecret {
  readonly handle: string;
  readonly kind: string;
  readonly value: string;
}

/** What every handle begins with. */
export const HANDLE_PREFIX = 'secret:';

/**
 * Takes the secrets out of what a person sent and puts a handle into the place of each. The same secret of the same person has
 * the same handle, so that an update which comes twice reads the same.
 */
export function hideSecrets(
  cipher: SecretSealer,
  userKey: string,
  text: string,
): { readonly text: string; readonly secrets: readonly HiddenSecret[] } {
  const found = findSecrets(text);
  if (found.length === 0) return { text, secrets: [] };
  const secrets = new Map<string, HiddenSecret>();
  const pieces: string[] = [];
  let from = 0;
  for (const { kind, start, end } of found) {
    const value = text.slice(start, end);
    const handle = `${HANDLE_PREFIX}${kind}-${cipher.mark(userKey, kind, value)}`;
    secrets.set(handle, { handle, kind, value });
    pieces.push(text.slice(from, start), handle);
    from = end;
  }
  return { text: pieces.join('') + text.slice(from), secrets: [...secrets.values()] };
}
