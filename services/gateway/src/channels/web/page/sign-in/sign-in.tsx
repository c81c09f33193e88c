import type { PageKey } from '@signalbox/messages/page-sentences';
import type { VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { say } from '../say.ts';
import type { Page } from '../state/page.ts';

interface Props {
  readonly page: Page;
  readonly problem: PageKey | null;
}

/** Explains how to sign in, and why it failed; offers demo people on a local machine. */
export function SignIn({ page, problem }: Props): VNode {
  const { demoPeople } = page.session;
  const title = useRef<HTMLHeadingElement>(null);
  // The element that had the focus is gone.
  useLayoutEffect(() => title.current?.focus(), [problem]);
  return (
    <main class="center sign-in">
      <h1 ref={title} tabIndex={-1}>
        {say('page.sign-in')}
      </h1>
      {problem !== null && (
        <p class="problem" role="alert">
          {say(problem)}
        </p>
      )}
      {problem !== 'page.link-refused' && <p>{say('page.sign-in-how')}</p>}
      {demoPeople.length > 0 && (
        <section class="panel" aria-labelledby="demo-people">
          <h2 id="demo-people">{say('page.demo-people')}</h2>
          <p class="note">{say('page.demo-people-how')}</p>
          <ul class="people">
            {demoPeople.map(({ id, name, role }) => (
              <li key={id}>
                <button
                  type="button"
                  class="person"
                  aria-disabled={page.isBusy}
                  onClick={() => page.isBusy || void page.signIn({ person: id })}
                >
                  <strong dir="auto">{name}</strong>
                  <span class="note">{role}</span>
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
    </main>
  );
}

interface OtherPersonProps {
  readonly page: Page;
  readonly name: string;
  readonly code: string;
}

/** Asks before signing in with the code of a link, since the link may be somebody else's. */
export function ConfirmSignIn({ page, name, code }: OtherPersonProps): VNode {
  const title = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => title.current?.focus(), []);
  return (
    <main class="center sign-in">
      <h1 ref={title} tabIndex={-1}>
        {say('page.sign-in')}
      </h1>
      <p dir="auto">{say('page.other-person', { name })}</p>
      <button type="button" class="main-button" onClick={() => void page.stay()}>
        {say('page.stay', { name })}
      </button>
      <button type="button" class="plain-button" onClick={() => page.isBusy || void page.signIn({ code })}>
        {say('page.use-link')}
      </button>
    </main>
  );
}
