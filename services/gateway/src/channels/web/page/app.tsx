import type { VNode } from 'preact';
import { ChatView } from './conversation/chat-view.tsx';
import { say } from './say.ts';
import { ConfirmSignIn, SignIn } from './sign-in/sign-in.tsx';
import type { Page } from './state/page.ts';

/** The whole page, rendered after each change of state. */
export function App({ page }: { readonly page: Page }): VNode {
  const { view } = page;
  switch (view.kind) {
    case 'loading':
      return (
        <p class="center" role="status">
          {say('page.connecting')}
        </p>
      );
    case 'away':
      return (
        <main class="center">
          <p role="alert">{say('page.no-answer')}</p>
          <button type="button" class="main-button" onClick={() => void page.start()}>
            {say('page.try-again')}
          </button>
        </main>
      );
    case 'sign-in':
      return <SignIn page={page} problem={view.problem} />;
    case 'other-person':
      return <ConfirmSignIn page={page} name={view.name} code={view.code} />;
    case 'chat':
      return <ChatView page={page} chat={view.chat} />;
  }
}
