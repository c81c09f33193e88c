import type { PageKey } from '@signalbox/messages/page-sentences';
import { IconButton } from '@signalbox/page-kit/icon-button';
import type { VNode } from 'preact';
import { say } from '../say.ts';
import type { ConnectionState } from '../state/connection.ts';
import { useChat } from '../state/context.ts';
import type { Page } from '../state/page.ts';
import { Logo } from '../theme/logo.tsx';

const LINKS: Readonly<Record<ConnectionState, PageKey>> = {
  connecting: 'page.connecting',
  open: 'page.connected',
  waiting: 'page.connecting',
  ended: 'page.no-connection',
};

/** The agent's name, the state of the connection and the person's name. */
export function Header({ page }: { readonly page: Page }): VNode {
  const { agent, link, voice } = useChat();
  const { person } = page.session;
  return (
    <header class="bar">
      <Logo />
      <div class="stack">
        <h1 dir="auto" title={agent?.does}>
          {agent?.name ?? 'Signalbox'}
        </h1>
        <p class={`link ${link}`}>
          <span class="dot" aria-hidden="true" />
          {say(LINKS[link])}
        </p>
      </div>
      {person && (
        <p class="stack who">
          <strong dir="auto">{person.name}</strong>
          <span class="note">{person.role}</span>
        </p>
      )}
      {voice.canSpeak && (
        <IconButton
          icon="speaker"
          label={say('page.read-aloud')}
          title={say('page.read-aloud')}
          aria-pressed={voice.isOn}
          onClick={() => voice.turn(!voice.isOn)}
        />
      )}
      <IconButton
        icon="leave"
        label={say('page.sign-out')}
        title={say('page.sign-out')}
        onClick={() => page.isBusy || void page.signOut()}
      />
    </header>
  );
}
