import { AutoScrollList } from '@signalbox/page-kit/auto-scroll-list';
import { Icon } from '@signalbox/page-kit/icons';
import { type VNode, Fragment } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { PageComponent } from '@signalbox/contracts/conversation/frames';
import { DraftBubble } from '../components/draft.tsx';
import { say } from '../say.ts';
import type { Chat } from '../state/chat.ts';
import type { PendingMessage } from '../state/pending.ts';
import { ComponentView } from '../components/component-view.tsx';
import { formatDay } from '../theme/time.tsx';

interface Props {
  readonly chat: Chat;
  readonly focusField: () => void;
}

/** The messages. Sending scrolls to the end. A replaced row keeps the focus; after a removed row the message field gets it. */
export function MessageList({ chat, focusField }: Props): VNode {
  const { components, pending, partial, isThinking } = chat;
  const list = useRef<AutoScrollList>(null);
  const ownCount = useRef(0);
  const focused = useRef<string | null>(null);
  useLayoutEffect(() => {
    if (pending.messages.length > ownCount.current) list.current?.toEnd();
    ownCount.current = pending.messages.length;
    if (focused.current === null || document.activeElement !== document.body) return;
    const row = document.querySelector<HTMLElement>(`[data-id="${CSS.escape(focused.current)}"]`);
    focused.current = null;
    if (row) row.focus({ preventScroll: true });
    else focusField();
  });
  // A gateway may send a draft both as a component and as a partial text.
  const hasDraft = components.some(({ type }) => type === 'Draft');
  const isEmpty = chat.isLoaded && components.length === 0 && pending.messages.length === 0;
  const leap = (): void => {
    list.current?.toEnd();
    // The pressed button disappears at the end of the list, so the field gets the focus.
    focusField();
  };
  return (
    <div class="list">
      <AutoScrollList
        list={list}
        ids={components.map(({ id }) => id)}
        // Focusable, so that the keyboard can scroll the list.
        scroller={{ tabIndex: 0, role: 'region', 'aria-label': say('page.conversation') }}
        content={{
          onFocusIn: ({ target }) => {
            focused.current = findRowId(target);
          },
          onFocusOut: ({ relatedTarget }) => {
            // When a row is removed, the focus goes nowhere and `focused` must stay.
            if (relatedTarget !== null) focused.current = null;
          },
        }}
        renderEndButton={(unseen) => (
          <button type="button" class="to-end" onClick={leap}>
            <Icon name="down" />
            {unseen > 0 ? say('page.new-messages', { count: unseen }) : say('page.newest')}
          </button>
        )}
      >
        {isEmpty && <FirstOffer chat={chat} />}
        {/* Changes of a row, such as progress, are not announced again. */}
        <div role="log" aria-relevant="additions" aria-busy={!chat.isLoaded} class="rows">
          {renderRows(components)}
        </div>
        <PendingMessages chat={chat} />
        {partial.person !== '' && <p class="bubble own draft">{partial.person}</p>}
        {partial.agent !== '' && !hasDraft && <DraftBubble text={partial.agent} />}
        <p class="thinking" role="status">
          {isThinking && partial.agent === '' && !hasDraft && say('page.thinking')}
        </p>
      </AutoScrollList>
    </div>
  );
}

/** What the agent says before anybody wrote, with requests to begin with. */
function FirstOffer({ chat }: { readonly chat: Chat }): VNode {
  const { first = null, examples = [] } = chat.agent ?? {};
  return (
    <div class="empty">
      <p>{first ?? say('page.empty')}</p>
      {examples.length > 0 && (
        <div class="buttons">
          {examples.map((example) => (
            <button key={example} type="button" class="choice" dir="auto" onClick={() => chat.say(example)}>
              {example}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

function findRowId(target: EventTarget | null): string | null {
  return target instanceof Element ? (target.closest<HTMLElement>('[data-id]')?.dataset['id'] ?? null) : null;
}

/** Messages that the gateway has not confirmed, below all others. */
function PendingMessages({ chat }: { readonly chat: Chat }): VNode {
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

/** Draws the components in order, with a line before each new day. */
function renderRows(components: readonly PageComponent[]): readonly VNode[] {
  let day: string | null = null;
  return components.map((component) => {
    const own = findDay(component);
    const begins = own !== null && own !== day;
    day = own ?? day;
    return (
      <Fragment key={component.id}>
        {begins && <p class="day">{own}</p>}
        <article class="row" data-id={component.id} data-from={findSpeaker(component)} tabIndex={-1}>
          <ComponentView component={component} />
        </article>
      </Fragment>
    );
  });
}

function findDay({ props: { at } }: PageComponent): string | null {
  return typeof at === 'string' && !Number.isNaN(Date.parse(at)) ? formatDay(at) : null;
}

/** The side on which a component is shown. */
function findSpeaker({ type, props: { from, author } }: PageComponent): 'person' | 'agent' {
  return type === 'Message' && from === 'person' && typeof author !== 'string' ? 'person' : 'agent';
}
