/** A request as our page makes it, unless `headers` say otherwise. */
export function postSession(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(`${url}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: new URL(url).origin, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/**
 * What a browser keeps of a sign-in: the cookie, as it sends it back, and behind a `#` the key that the page shows besides. Null when the
 * answer signs nobody in.
 */
export function cookieOf(response: Response): string | null {
  const cookie = response.headers.getSetCookie()[0]?.split(';', 1)[0];
  const key = response.headers.get('x-signalbox-key');
  if (cookie === undefined) return null;
  return key === null ? cookie : `${cookie}#${key}`;
}

/** The headers of a request of our page, with what `cookieOf` gave. */
export function signedIn(kept: string | null): Readonly<Record<string, string>> {
  const [cookie, key] = kept?.split('#') ?? [];
  return { ...(cookie === undefined ? {} : { cookie }), ...(key === undefined ? {} : { 'x-signalbox-key': key }) };
}

/** What `GET /session` says to a browser with this cookie. */
export async function readSession(url: string, cookie: string | null): Promise<unknown> {
  const response = await fetch(`${url}/session`, { headers: signedIn(cookie) });
  return response.json();
}
