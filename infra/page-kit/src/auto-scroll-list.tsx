import { Component, createRef, type ComponentChildren, type HTMLAttributes, type RefObject, type VNode } from 'preact';

/** A reader within this distance of the end counts as being at the end. */
const AT_END_PX = 80;

interface ListProps {
  /** Receives the list after its first rendering. */
  readonly list: RefObject<AutoScrollList | null>;
  /** Ids of the rows in display order, by which unseen rows are counted. */
  readonly ids: readonly (string | number)[];
  readonly scroller: HTMLAttributes<HTMLDivElement>;
  readonly content: HTMLAttributes<HTMLDivElement>;
  /** Rows with a `data-id` each. */
  readonly children: ComponentChildren;
  /** Renders a button that scrolls to the end. Shown while the reader is elsewhere; `unseen` counts new rows. */
  readonly renderEndButton: (unseen: number) => VNode;
  /** Called when the reader reaches the end or leaves it. */
  readonly onEndChange?: () => void;
}
interface ListState {
  readonly isPinned: boolean;
}
/** The first visible row and its vertical position in pixels. */
type Anchor = { readonly node: Element; readonly top: number } | null;

/** A scrolling list. Follows new rows while the reader is at the end; otherwise keeps the reader's position. */
export class AutoScrollList extends Component<ListProps, ListState> {
  override state: ListState = { isPinned: true };
  readonly #scroller = createRef<HTMLDivElement>();
  readonly #content = createRef<HTMLDivElement>();
  readonly #observer = new ResizeObserver(() => this.state.isPinned && this.toEnd());
  /** Ids of the rows that existed when the reader left the end. */
  #seen: ReadonlySet<string | number> = new Set();

  get isAtEnd(): boolean {
    return this.state.isPinned;
  }

  get content(): HTMLElement | null {
    return this.#content.current;
  }

  toEnd(): void {
    if (!this.state.isPinned) this.setState({ isPinned: true });
    this.#scroller.current?.scrollTo({ top: this.#scroller.current.scrollHeight });
  }

  /** Scrolls a row to the middle. The list then stops following its end. */
  show(row: Element): void {
    this.setState({ isPinned: false });
    row.scrollIntoView({ block: 'center' });
  }

  override componentDidMount(): void {
    this.props.list.current = this;
    // A phone's keyboard, a growing text field and loading pictures move the end.
    for (const node of [this.#scroller.current, this.#content.current]) if (node) this.#observer.observe(node);
    this.toEnd();
  }

  override componentWillUnmount(): void {
    this.#observer.disconnect();
  }

  override getSnapshotBeforeUpdate(): Anchor {
    const top = this.#scroller.current?.getBoundingClientRect().top ?? 0;
    if (this.state.isPinned) return null;
    const rows = [...(this.#content.current?.querySelectorAll('[data-id]') ?? [])];
    const node = rows.find((one) => one.getBoundingClientRect().bottom > top);
    return node ? { node, top: node.getBoundingClientRect().top } : null;
  }

  override componentDidUpdate(_props: ListProps, _state: ListState, anchor: Anchor): void {
    if (this.state.isPinned) this.toEnd();
    else if (anchor?.node.isConnected && this.#scroller.current)
      this.#scroller.current.scrollTop += anchor.node.getBoundingClientRect().top - anchor.top;
  }

  override render({ ids, scroller, content, renderEndButton, children }: ListProps, { isPinned }: ListState): VNode {
    if (isPinned) this.#seen = new Set(ids);
    return (
      <>
        <div class="scroller" ref={this.#scroller} onScroll={() => this.#onScroll()} {...scroller}>
          <div class="messages" ref={this.#content} {...content}>
            {children}
          </div>
        </div>
        {!isPinned && renderEndButton(this.#countUnseen(ids))}
      </>
    );
  }

  /** Counts new rows. Older rows that were loaded meanwhile do not count. */
  #countUnseen(ids: readonly (string | number)[]): number {
    const first = Math.max(
      0,
      ids.findIndex((id) => this.#seen.has(id)),
    );
    return ids.slice(first).filter((id) => !this.#seen.has(id)).length;
  }

  #onScroll(): void {
    const scroller = this.#scroller.current;
    if (!scroller) return;
    const isPinned = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < AT_END_PX;
    if (isPinned === this.state.isPinned) return;
    this.setState({ isPinned });
    this.props.onEndChange?.();
  }
}
