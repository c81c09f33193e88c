/*
 * Browsers send the login cookie to every program on this host. Over http it works only together with a key, which the
 * gateway gives to the page: only pages of this address and port can read it.
 */

const HEADER = 'x-signalbox-key';
const NAME = 'signalbox-key';
/** Holds the key without browser storage, as long as the page is open. */
let kept: string | null = null;

/** The header with the key; no header without a key. */
export function buildKeyHeader(): Record<string, string> {
  const key = readKey();
  return key === null ? {} : { [HEADER]: key };
}

/** Adds the key to a gateway URL, for requests that cannot send headers. */
export function addKeyToUrl(url: URL): URL {
  const key = readKey();
  if (key !== null) url.searchParams.set('key', key);
  return url;
}

export function storeKey(answer: Response): void {
  const key = answer.headers.get(HEADER);
  if (key === null) return;
  kept = key;
  try {
    localStorage.setItem(NAME, key);
  } catch {
    // `kept` holds the key when there is no browser storage.
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
