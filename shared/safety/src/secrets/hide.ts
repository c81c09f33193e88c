import { findSecrets } from '../redact/find.ts';
import type { SecretSealer } from './cipher.ts';

/** A secret removed from a text. */
export interface HiddenSecret {
  readonly handle: string;
  readonly kind: string;
  readonly value: string;
}

export const HANDLE_PREFIX = 'secret:';

/**
 * Replaces secrets in a person's message by handles. Equal secrets of a person get the same handle, so that a repeated update gives the
 * same text.
 */
export function hideSecrets(
  cipher: SecretSealer,
  userKey: string,
  text: string,
): { readonly text: string; readonly secrets: readonly HiddenSecret[] } {
  const matches = findSecrets(text);
  if (matches.length === 0) return { text, secrets: [] };
  const secrets = new Map<string, HiddenSecret>();
  const pieces: string[] = [];
  let from = 0;
  for (const { kind, start, end } of matches) {
    const value = text.slice(start, end);
    const handle = `${HANDLE_PREFIX}${kind}-${cipher.mark(userKey, kind, value)}`;
    secrets.set(handle, { handle, kind, value });
    pieces.push(text.slice(from, start), handle);
    from = end;
  }
  return { text: pieces.join('') + text.slice(from), secrets: [...secrets.values()] };
}
