/*
 * Over http the gateway gives a page a key, without which the cookie of its login is worth nothing: browsers send the cookie to every
 * program on this host, and let only pages of this address and port read the key.
 */

const HEADER = 'x-signalbox-key';
const NAME = 'signalbox-key';
/** Where a browser keeps nothing for pages, the key lasts as long as the page. */
let kept: string | null = null;

/** The header that shows the key; none when there is no key. */
export function keyHeader(): Record<string, string> {
  const key = readKey();
  return key === null ? {} : { [HEADER]: key };
}

/** An address of the gateway with the key, for what sends no headers. */
export function withKey(url: URL): URL {
  const key = readKey();
  if (key !== null) url.searchParams.set('key', key);
  return url;
}

/** Keeps the key of a sign-in. An answer without one leaves what there is. */
export function keepKey(answer: Response): void {
  const key = answer.headers.get(HEADER);
  if (key === null) return;
  kept = key;
  try {
    localStorage.setItem(NAME, key);
  } catch {
    // This browser keeps nothing: `kept` has it.
  }
}

/** Another page of this browser may have signed in since, so the key is read each time. */
function readKey(): string | null {
  try {
    return localStorage.getItem(NAME) ?? kept;
  } catch {
    return kept;
  }
}
