import type { VNode } from 'preact';
import { say } from '../say.ts';
import type { Chat } from '../state/chat.ts';
import type { PendingMessage } from '../state/pending.ts';

/** Messages that the gateway has not confirmed, below all others. */
export function PendingMessages({ chat }: { readonly chat: Chat }): VNode {
  return (
    <>
      {chat.pending.messages.map((message) => (
        <article key={message.id} class="row" data-from="person" data-pending={message.id}>
          <div class={`bubble own pending ${message.isRefused ? 'refused' : ''}`}>
            <p class="text plain" dir="auto">
              {message.text}
            </p>
            <p class="meta">{describe(message, chat)}</p>
            {message.isRefused && (
              <div class="buttons">
                <button type="button" class="choice" onClick={() => chat.sayAgain(message)}>
                  {say('page.send-again')}
                </button>
                <button type="button" class="choice" onClick={() => chat.discard(message.id)}>
                  {say('page.discard')}
                </button>
              </div>
            )}
          </div>
        </article>
      ))}
    </>
  );
}

function describe({ isRefused }: PendingMessage, { link }: Chat): string {
  if (isRefused) return say('page.refused');
  return say(link === 'open' ? 'page.sending' : 'page.unsent');
}
