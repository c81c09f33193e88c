import { CLOSE_CODES } from '@signalbox/contracts/conversation/frames';
import type { PageKey } from '@signalbox/messages/page-sentences';
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { say } from '../say.ts';
import type { Chat } from '../state/chat.ts';
import { useChat } from '../state/context.ts';
import type { PageAddress } from '../state/page-address.ts';

/** Shorter interruptions are not shown. */
const QUIET_MS = 1_500;

const CLOSED: Readonly<Record<number, PageKey>> = {
  [CLOSE_CODES.unknownAgent]: 'page.closed-agent',
  [CLOSE_CODES.badFrame]: 'page.closed-frame',
  [CLOSE_CODES.tooSlow]: 'page.closed-slow',
  [CLOSE_CODES.tooFast]: 'page.closed-fast',
  [CLOSE_CODES.tryAgain]: 'page.closed-away',
};

/** Says why there is no connection, and what helps. Always rendered, so that screen readers announce changes. */
export function ConnectionNotice({ address }: { readonly address: PageAddress }): VNode {
  const chat = useChat();
  const isLate = useIsLate(chat.link === 'waiting' || chat.link === 'connecting');
  const key = findSentence(chat, isLate);
  return (
    <div class="link-notice" role="status">
      {key !== null && <p class="problem">{say(key)}</p>}
      {key === 'page.closed-agent' && address.agent !== null && (
        <a class="plain-button" href={location.pathname}>
          {say('page.usual-agent')}
        </a>
      )}
      {key === 'page.closed-frame' && (
        <button type="button" class="plain-button" onClick={() => location.reload()}>
          {say('page.reload')}
        </button>
      )}
    </div>
  );
}

function findSentence({ link, closeCode, isLoaded }: Chat, isLate: boolean): PageKey | null {
  if (link === 'open') return null;
  if (!navigator.onLine) return 'page.offline';
  if (closeCode !== null && CLOSED[closeCode] !== undefined) return CLOSED[closeCode];
  if (!isLate) return null;
  return isLoaded ? 'page.reconnecting' : 'page.no-answer';
}

function useIsLate(isDown: boolean): boolean {
  const [isLate, setIsLate] = useState(false);
  useEffect(() => {
    if (!isDown) return setIsLate(false);
    const timer = setTimeout(() => setIsLate(true), QUIET_MS);
    return () => clearTimeout(timer);
  }, [isDown]);
  return isLate && isDown;
}
