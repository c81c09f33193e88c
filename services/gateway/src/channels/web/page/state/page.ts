import { PageSession, type SignIn } from '@signalbox/contracts/conversation/page-session';
import type { PageKey } from '@signalbox/messages/page-sentences';
import { Chat } from './chat.ts';
import { readPageAddress, takeSignInCode, type PageAddress } from './page-address.ts';
import { storeKey, buildKeyHeader } from './page-key.ts';

const DEADLINE_MS = 15_000;

export type PageView =
  | { readonly kind: 'loading' }
  /** The gateway did not answer who is signed in. */
  | { readonly kind: 'away' }
  | { readonly kind: 'sign-in'; readonly problem: PageKey | null }
  /** The person is signed in but opened a link that may be somebody else's. */
  | { readonly kind: 'other-person'; readonly name: string; readonly code: string }
  | { readonly kind: 'chat'; readonly chat: Chat };

const NOBODY: PageSession = { person: null, demoPeople: [], commands: [] };

/** The state of the whole page. `onChange` is called after each change, to render it. */
export class Page {
  view: PageView = { kind: 'loading' };
  session: PageSession = NOBODY;
  /** True during a session request. */
  isBusy = false;
  readonly address: PageAddress = readPageAddress();
  readonly #onChange: () => void;
  #code = takeSignInCode();

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Starts the page, or retries after no answer. */
  async start(): Promise<void> {
    // Pasting a link into an open page changes only the hash of the address.
    addEventListener('hashchange', this.#onLink);
    await this.#enter();
  }

  async signIn(how: SignIn): Promise<void> {
    await this.#busy(async () => {
      const done = await signIn(how);
      if (done === 'refused') return this.#show({ kind: 'sign-in', problem: 'page.link-refused' });
      this.#leaveChat();
      await this.#enter();
    });
  }

  /** Keeps the present login and ignores the link. */
  async stay(): Promise<void> {
    await this.#enter();
  }

  async signOut(): Promise<void> {
    await this.#busy(async () => {
      await signOut();
      if (this.view.kind === 'chat') this.view.chat.forget();
      this.#leaveChat();
      await this.#load();
      this.#show({ kind: 'sign-in', problem: null });
    });
  }

  readonly #onLink = (): void => {
    this.#code = takeSignInCode();
    if (this.#code === null) return;
    this.#leaveChat();
    void this.#enter();
  };

  async #enter(): Promise<void> {
    const code = this.#code;
    this.#code = null;
    if (!(await this.#load())) {
      this.#code = code;
      return this.#show({ kind: 'away' });
    }
    const { person } = this.session;
    if (code !== null && person) return this.#show({ kind: 'other-person', name: person.name, code });
    if (code !== null) return this.signIn({ code });
    if (!person) return this.#show({ kind: 'sign-in', problem: null });
    const chat = new Chat({
      address: this.address,
      person: person.name,
      onChange: this.#onChange,
      onSessionEnd: () => void this.#endSession(),
    });
    this.#show({ kind: 'chat', chat });
    chat.start();
  }

  async #endSession(): Promise<void> {
    this.#leaveChat();
    await this.#load();
    this.#show({ kind: 'sign-in', problem: 'page.session-ended' });
  }

  async #load(): Promise<boolean> {
    const session = await readSession().catch(() => null);
    this.session = session ?? NOBODY;
    return session !== null;
  }

  async #busy(work: () => Promise<void>): Promise<void> {
    this.isBusy = true;
    this.#onChange();
    try {
      await work();
    } catch {
      // The gateway failed or did not answer; the person may retry.
      if (this.view.kind !== 'chat') this.#show({ kind: 'sign-in', problem: 'page.sign-in-failed' });
    } finally {
      this.isBusy = false;
      this.#onChange();
    }
  }

  #leaveChat(): void {
    if (this.view.kind === 'chat') this.view.chat.stop();
  }

  #show(view: PageView): void {
    this.view = view;
    this.#onChange();
  }
}

/** Reads who is signed in, and what is offered. Throws when the gateway does not answer. */
async function readSession(): Promise<PageSession> {
  const response = await call('GET');
  if (!response.ok) throw new Error(`GET /session: ${response.status}`);
  return PageSession.parse(await response.json());
}

/** Signs in. `refused`: the code or person is unknown or no longer valid. Throws when the gateway does not answer. */
async function signIn(how: SignIn): Promise<'done' | 'refused'> {
  const response = await call('POST', how);
  storeKey(response);
  if (response.ok) return 'done';
  if (response.status >= 500 || response.status === 429) throw new Error(`POST /session: ${response.status}`);
  return 'refused';
}

/** Signs out, which ends the session at the gateway. Throws when the gateway does not answer. */
async function signOut(): Promise<void> {
  const response = await call('DELETE');
  if (!response.ok && response.status !== 401) throw new Error(`DELETE /session: ${response.status}`);
}

function call(method: 'GET' | 'POST' | 'DELETE', body?: SignIn): Promise<Response> {
  return fetch('session', {
    method,
    headers: { ...buildKeyHeader(), ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
}
