import { Component, createRef, type ComponentChildren, type HTMLAttributes, type RefObject, type VNode } from 'preact';

/** Within this distance of its end, a reader counts as reading the end. */
const AT_END_PX = 80;

interface ListProps {
  /** Gets the list once it is drawn. */
  readonly list: RefObject<FollowingList | null>;
  /** The ids of what is shown, in their order: what comes after those that the reader saw is counted. */
  readonly ids: readonly (string | number)[];
  readonly scroller: HTMLAttributes<HTMLDivElement>;
  readonly content: HTMLAttributes<HTMLDivElement>;
  /** Every row has a `data-id`. */
  readonly children: ComponentChildren;
  /** The button that goes to the end, shown while the reader is elsewhere. */
  readonly drawButton: (missed: number) => VNode;
  /** The reader came to the end, or left it. */
  readonly onPin?: () => void;
}
interface ListState {
  readonly isPinned: boolean;
}
/** The first row on the screen, and where it stands. */
type Anchor = { readonly node: Element; readonly top: number } | null;

/** Follows what comes while the reader is at the end; otherwise the reader stays where they are. */
export class FollowingList extends Component<ListProps, ListState> {
  override state: ListState = { isPinned: true };
  readonly #scroller = createRef<HTMLDivElement>();
  readonly #content = createRef<HTMLDivElement>();
  readonly #observer = new ResizeObserver(() => this.state.isPinned && this.toEnd());
  /** What was there when the reader left the end. */
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

  /** Brings a row to the middle; the list does not follow its end any more. */
  show(row: Element): void {
    this.setState({ isPinned: false });
    row.scrollIntoView({ block: 'center' });
  }

  override componentDidMount(): void {
    this.props.list.current = this;
    // The keyboard of a phone, a growing field and pictures that arrive move the end.
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

  override render({ ids, scroller, content, drawButton, children }: ListProps, { isPinned }: ListState): VNode {
    if (isPinned) this.#seen = new Set(ids);
    return (
      <>
        <div class="scroller" ref={this.#scroller} onScroll={() => this.#onScroll()} {...scroller}>
          <div class="messages" ref={this.#content} {...content}>
            {children}
          </div>
        </div>
        {!isPinned && drawButton(this.#countMissed(ids))}
      </>
    );
  }

  /** Earlier rows that were loaded since are not new. */
  #countMissed(ids: readonly (string | number)[]): number {
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
    this.props.onPin?.();
  }
}
