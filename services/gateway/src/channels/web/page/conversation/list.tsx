import { Component, createRef, type VNode } from 'preact';
import { DraftBubble } from '../components/draft.tsx';
import { say } from '../say.ts';
import type { Chat } from '../state/chat.ts';
import { Icon } from '../theme/icons.tsx';
import { PendingMessages } from './pending-messages.tsx';
import { renderRows } from './rows.tsx';

/** Close enough to the end to count as reading it. */
const AT_END_PX = 80;

interface Props {
  readonly chat: Chat;
  readonly focusField: () => void;
}
interface State {
  readonly isPinned: boolean;
}
/** The first component on the screen, and where it stands. */
type Anchor = { readonly node: Element; readonly top: number } | null;

/**
 * What was said. It follows what comes only while the reader is at the end; otherwise the reader stays where they are, and a button
 * counts what came. When a component that has the focus is replaced, the focus stays at it.
 */
export class List extends Component<Props, State> {
  override state: State = { isPinned: true };
  readonly #scroller = createRef<HTMLDivElement>();
  readonly #content = createRef<HTMLDivElement>();
  readonly #observer = new ResizeObserver(() => this.state.isPinned && this.#toEnd());
  /** What was there when the reader left the end. */
  #seen: ReadonlySet<string> = new Set();
  #ownCount = 0;
  /** The component that the focus is in; null when it is elsewhere. */
  #focused: string | null = null;

  override componentDidMount(): void {
    // The keyboard of a phone, a growing field and what is drawn later move the end.
    for (const node of [this.#scroller.current, this.#content.current]) if (node) this.#observer.observe(node);
    this.#toEnd();
  }

  override componentWillUnmount(): void {
    this.#observer.disconnect();
  }

  override getSnapshotBeforeUpdate(): Anchor {
    const top = this.#scroller.current?.getBoundingClientRect().top ?? 0;
    if (this.state.isPinned) return null;
    const all = [...(this.#content.current?.querySelectorAll('[data-id]') ?? [])];
    const node = all.find((one) => one.getBoundingClientRect().bottom > top);
    return node ? { node, top: node.getBoundingClientRect().top } : null;
  }

  override componentDidUpdate(_props: Props, _state: State, anchor: Anchor): void {
    const { chat } = this.props;
    const ownCount = chat.pending.messages.length;
    const hasSpoken = ownCount > this.#ownCount;
    this.#ownCount = ownCount;
    if (this.state.isPinned || hasSpoken) this.#toEnd();
    else if (anchor?.node.isConnected && this.#scroller.current)
      this.#scroller.current.scrollTop += anchor.node.getBoundingClientRect().top - anchor.top;
    this.#keepFocus();
  }

  override render({ chat }: Props, { isPinned }: State): VNode {
    const { components, pending, partial, isThinking } = chat;
    if (isPinned) this.#seen = new Set(components.map(({ id }) => id));
    const missed = components.filter((one) => !this.#seen.has(one.id)).length;
    // A gateway may send what is being written in both forms.
    const hasDraft = components.some(({ type }) => type === 'Draft');
    const isEmpty = chat.isLoaded && components.length === 0 && pending.messages.length === 0;
    return (
      <div class="list">
        {/* It scrolls with the keyboard as well. */}
        <div
          class="scroller"
          ref={this.#scroller}
          tabIndex={0}
          role="region"
          aria-label={say('page.conversation')}
          onScroll={() => this.#onScroll()}
        >
          <div class="messages" ref={this.#content} onFocusIn={this.#onFocusIn} onFocusOut={this.#onFocusOut}>
            {isEmpty && <p class="empty">{say('page.empty')}</p>}
            {/* A change of what was said, such as progress, is not read out again. */}
            <div role="log" aria-relevant="additions" aria-busy={!chat.isLoaded} class="rows">
              {renderRows(components)}
            </div>
            <PendingMessages chat={chat} />
            {partial.person !== '' && <p class="bubble own draft">{partial.person}</p>}
            {partial.agent !== '' && !hasDraft && <DraftBubble text={partial.agent} />}
            <p class="thinking" role="status">
              {isThinking && partial.agent === '' && !hasDraft && say('page.thinking')}
            </p>
          </div>
        </div>
        {!isPinned && (
          <button type="button" class="to-end" onClick={this.#leap}>
            <Icon name="down" />
            {missed > 0 ? say('page.new-messages', { count: missed }) : say('page.newest')}
          </button>
        )}
      </div>
    );
  }

  readonly #leap = (): void => {
    this.#toEnd();
    // The button is gone with that.
    this.props.focusField();
  };

  readonly #onFocusIn = ({ target }: FocusEvent): void => {
    this.#focused = target instanceof Element ? rowOf(target) : null;
  };

  readonly #onFocusOut = ({ relatedTarget }: FocusEvent): void => {
    // What is taken out of the page loses the focus to nothing.
    if (relatedTarget !== null) this.#focused = null;
  };

  #keepFocus(): void {
    if (this.#focused === null || document.activeElement !== document.body) return;
    const row = this.#content.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(this.#focused)}"]`);
    this.#focused = null;
    if (row) row.focus({ preventScroll: true });
    else this.props.focusField();
  }

  #onScroll(): void {
    const scroller = this.#scroller.current;
    if (!scroller) return;
    const isPinned = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < AT_END_PX;
    if (isPinned !== this.state.isPinned) this.setState({ isPinned });
  }

  #toEnd(): void {
    if (!this.state.isPinned) this.setState({ isPinned: true });
    this.#scroller.current?.scrollTo({ top: this.#scroller.current.scrollHeight });
  }
}

function rowOf(node: Element): string | null {
  return node.closest<HTMLElement>('[data-id]')?.dataset['id'] ?? null;
}
