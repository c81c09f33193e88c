import { Icon } from '@signalbox/page-kit/icons';
import type { VNode } from 'preact';
import type { Draft } from '../../store/draft.ts';
import { usePage, usePlace } from '../state/context.ts';
import { act } from '../state/simulator.ts';
import { Body } from './bubble.tsx';

/** The message that the bot is writing, with Stop beside it; positioned so that the final message replaces it without movement. */
export function DraftBubble({ draft, isSending }: { readonly draft: Draft; readonly isSending: boolean }): VNode {
  const page = usePage();
  const { person } = usePlace();
  return (
    <article class="message other starts draft" aria-label="The bot is writing" aria-busy="true">
      <div class="column">
        <div class="line">
          <div class={draft.rich ? 'bubble rich' : 'bubble'}>
            {draft.rich === null && draft.text === '' && <span class="thinking">Thinking…</span>}
            <Body message={draft}>
              <span aria-hidden="true">…</span>
            </Body>
          </div>
          {draft.canStop && !isSending && (
            <button
              class="stop"
              title="Stop writing"
              onClick={() => void page.tell(() => act('drafts/stop', { from: person.id }))}
            >
              <Icon name="stop" />
              <span>Stop</span>
            </button>
          )}
        </div>
      </div>
    </article>
  );
}
