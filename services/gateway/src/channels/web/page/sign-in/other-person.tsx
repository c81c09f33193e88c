import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { say } from '../say.ts';
import type { Page } from '../state/page.ts';

interface Props {
  readonly page: Page;
  readonly name: string;
  readonly code: string;
}

/** Asks before signing in with the code of a link, since the link may be somebody else's. */
export function OtherPerson({ page, name, code }: Props): VNode {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), []);
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
