import { Component, createRef, type VNode } from 'preact';
import type { MessageView } from '../../people/message-view.ts';
import { loadOlder } from '../state/actions.ts';
import type { Page } from '../state/page.ts';
import type { Place } from '../state/place.ts';
import { openMessageMenu } from '../sheets/message-menu.tsx';
import { Icon } from '../theme/icons.tsx';
import { DraftBubble } from './draft-bubble.tsx';
import { followFocus, refreshStop } from './message-focus.ts';
import { renderRows } from './message-rows.tsx';
import { Welcome } from './welcome.tsx';

/** Close enough to the end to count as reading it. */
const AT_END_PX = 80;
const FLASH_MS = 1_600;

interface ListProps {
  readonly page: Page;
  readonly place: Place;
}
/** The first message on the screen, and where it stands. */
type Anchor = { readonly node: Element; readonly top: number } | null;

/**
 * The messages of one chat as one person sees them, and what the bot is writing below them. It follows new ones only while
 * the reader is at the end; otherwise the reader stays where they are and a button counts what came. A list belongs to
 * one place: another place gets another list.
 */
export class MessageList extends Component<ListProps, { readonly isPinned: boolean }> {
  override state = { isPinned: true };
  readonly #scroller = createRef<HTMLDivElement>();
  readonly #messages = createRef<HTMLDivElement>();
  readonly #observer = new ResizeObserver(() => this.state.isPinned && this.#toEnd());
  /** The newest message that was shown. */
  #newest = this.#newestId();
  /** The newest message that was there when the reader left the end. */
  #left = this.#newest;

  override componentDidMount(): void {
    const [scroller, messages] = [this.#scroller.current, this.#messages.current];
    if (!scroller || !messages) return;
    // The keyboard of a phone, a growing text field and a picture that arrives move the end.
    for (const node of [scroller, messages]) this.#observer.observe(node);
    followFocus(messages, (message) => this.#openMenu(message));
    this.props.page.list = {
      isAtEnd: () => this.state.isPinned,
      toEnd: () => this.#toEnd(),
      show: (node) => this.#show(node),
    };
    refreshStop(messages);
    this.#toEnd();
    // What is shown is read now.
    this.props.page.change({});
  }

  override componentWillUnmount(): void {
    this.#observer.disconnect();
  }

  override getSnapshotBeforeUpdate(): Anchor {
    const top = this.#scroller.current?.getBoundingClientRect().top ?? 0;
    if (this.state.isPinned) return null;
    const all = [...(this.#messages.current?.querySelectorAll('[data-id]') ?? [])];
    const node = all.find((one) => one.getBoundingClientRect().bottom > top);
    return node ? { node, top: node.getBoundingClientRect().top } : null;
  }

  override componentDidUpdate(_props: ListProps, _state: object, anchor: Anchor): void {
    const scroller = this.#scroller.current;
    const newest = this.#all().at(-1);
    const isOwn =
      newest !== undefined && newest.messageId > this.#newest && newest.from.id === this.props.place.person.id;
    this.#newest = this.#newestId();
    if (this.#messages.current) refreshStop(this.#messages.current);
    if (this.state.isPinned || isOwn) this.#toEnd();
    else if (scroller && anchor?.node.isConnected)
      scroller.scrollTop += anchor.node.getBoundingClientRect().top - anchor.top;
  }

  override render({ page, place }: ListProps, { isPinned }: { readonly isPinned: boolean }): VNode {
    const { chat } = place;
    const messages = this.#all();
    const draft = page.drafts.of(chat.id);
    if (isPinned) this.#left = this.#newestId();
    const missed = messages.filter(({ messageId }) => messageId > this.#left).length;
    return (
      <>
        <div class="scroller" tabIndex={-1} ref={this.#scroller} onScroll={() => this.#onScroll()}>
          <div
            class="messages"
            role="log"
            aria-label="Messages"
            ref={this.#messages}
            onContextMenu={(event) => this.#onContextMenu(event)}
          >
            {page.store.hasOlder(chat.id) && (
              <button class="older" onClick={() => void loadOlder(page, place)}>
                Show earlier messages
              </button>
            )}
            {renderRows(messages)}
            {messages.length === 0 && !draft && <Welcome />}
            {draft && <DraftBubble key={`draft ${draft.draft.draftId}`} {...draft} />}
          </div>
        </div>
        {!isPinned && (
          <button class="to-bottom" aria-label="To the newest message" onClick={() => this.#toEnd()}>
            <Icon name="down" />
            {missed > 0 && (
              <span class="badge" id="to-bottom-badge">
                {missed}
              </span>
            )}
          </button>
        )}
      </>
    );
  }

  #all(): readonly MessageView[] {
    const { page, place } = this.props;
    return page.store.messagesOf(place.person.id, place.chat.id, place.topic);
  }

  #newestId(): number {
    return this.#all().reduce((newest, { messageId }) => Math.max(newest, messageId), 0);
  }

  #onScroll(): void {
    const scroller = this.#scroller.current;
    if (!scroller) return;
    const isPinned = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < AT_END_PX;
    if (isPinned === this.state.isPinned) return;
    this.setState({ isPinned });
    // What was below is read now.
    this.props.page.change({});
  }

  #toEnd(): void {
    if (!this.state.isPinned) this.setState({ isPinned: true });
    this.#scroller.current?.scrollTo({ top: this.#scroller.current.scrollHeight });
  }

  /** Brings a message into view and lights it up for a moment. */
  #show(node: Element): void {
    this.setState({ isPinned: false });
    node.scrollIntoView({ block: 'center' });
    node.classList.add('flash');
    setTimeout(() => node.classList.remove('flash'), FLASH_MS);
  }

  /** A right click, or a long press. Links keep the menu of the browser, and so does a text that somebody selected. */
  #onContextMenu(event: MouseEvent): void {
    const { target } = event;
    if (!(target instanceof Element) || target.closest('a') || !getSelection()?.isCollapsed) return;
    event.preventDefault();
    this.#openMenu(target.closest('.bubble'));
  }

  #openMenu(target: Element | null): void {
    const { page, place } = this.props;
    const id = target?.closest<HTMLElement>('.message')?.dataset['id'];
    const message = page.store.message(place.chat.id, Number(id));
    if (message) openMessageMenu(page, place, message);
  }
}
