import { PageSession, type SignIn } from '@signalbox/contracts/conversation/page-session';
import { keepKey, keyHeader } from './page-key.ts';

const DEADLINE_MS = 15_000;

/** Who is signed in, and what is offered. Throws when the gateway does not answer. */
export async function readSession(): Promise<PageSession> {
  const response = await call('GET');
  if (!response.ok) throw new Error(`GET /session: ${response.status}`);
  return PageSession.parse(await response.json());
}

/** Signs in. `refused`: the code or person is unknown or no longer valid. Throws when the gateway does not answer. */
export async function signIn(how: SignIn): Promise<'done' | 'refused'> {
  const response = await call('POST', how);
  keepKey(response);
  if (response.ok) return 'done';
  if (response.status >= 500 || response.status === 429) throw new Error(`POST /session: ${response.status}`);
  return 'refused';
}

/** Signs out and invalidates the session. Throws when the gateway does not answer. */
export async function signOut(): Promise<void> {
  const response = await call('DELETE');
  if (!response.ok && response.status !== 401) throw new Error(`DELETE /session: ${response.status}`);
}

function call(method: 'GET' | 'POST' | 'DELETE', body?: SignIn): Promise<Response> {
  return fetch('session', {
    method,
    headers: { ...keyHeader(), ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
}
