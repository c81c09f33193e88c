/*
 * Over http the gateway gives the page a key without which its login cookie is useless: browsers send the cookie to
 * every program on this host, but only pages of this address and port can read the key.
 */

const HEADER = 'x-signalbox-key';
const NAME = 'signalbox-key';
/** Without browser storage the key lasts as long as the page. */
let kept: string | null = null;

/** The header with the key; empty without a key. */
export function buildKeyHeader(): Record<string, string> {
  const key = readKey();
  return key === null ? {} : { [HEADER]: key };
}

/** A gateway URL with the key, for requests without headers. */
export function withKey(url: URL): URL {
  const key = readKey();
  if (key !== null) url.searchParams.set('key', key);
  return url;
}

/** Stores the key of a sign-in; an answer without one changes nothing. */
export function keepKey(answer: Response): void {
  const key = answer.headers.get(HEADER);
  if (key === null) return;
  kept = key;
  try {
    localStorage.setItem(NAME, key);
  } catch {
    // No browser storage: the variable above has the key.
  }
}

/** Read each time, since another tab may have signed in. */
function readKey(): string | null {
  try {
    return localStorage.getItem(NAME) ?? kept;
  } catch {
    return kept;
  }
}
