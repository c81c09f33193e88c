/** A request as our page makes it, unless `headers` say otherwise. */
export function postSession(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(`${url}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** The cookie that an answer sets, as a browser sends it back; null when it sets none. */
export function cookieOf(response: Response): string | null {
  return response.headers.getSetCookie()[0]?.split(';', 1)[0] ?? null;
}

/** What `GET /session` says to a browser with this cookie. */
export async function readSession(url: string, cookie: string | null): Promise<unknown> {
  const response = await fetch(`${url}/session`, { headers: cookie === null ? {} : { cookie } });
  return response.json();
}
