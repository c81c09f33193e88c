import { Icon } from '@signalbox/page-kit/icons';
import { FollowingList } from '@signalbox/page-kit/following-list';
import { Component, createRef, type VNode } from 'preact';
import type { MessageView } from '../../store/message-view.ts';
import { loadOlder } from '../state/actions.ts';
import type { Page } from '../state/page.ts';
import type { Place } from '../state/place.ts';
import { openMessageMenu } from '../sheets/message-menu.tsx';
import { DraftBubble } from './draft-bubble.tsx';
import { followFocus, refreshStop } from './message-focus.ts';
import { renderRows } from './message-rows.tsx';
import { Welcome } from './welcome.tsx';

const FLASH_MS = 1_600;

interface ListProps {
  readonly page: Page;
  readonly place: Place;
}

/** The messages of one chat as one person sees them, with the bot's draft. Scrolls down when the person sends. */
export class MessageList extends Component<ListProps> {
  readonly #list = createRef<FollowingList>();
  /** Newest displayed message. */
  #newest = this.#newestId();

  override componentDidMount(): void {
    const list = this.#list.current;
    if (!list?.content) return;
    followFocus(list.content, (message) => this.#openMenu(message));
    this.props.page.list = {
      isAtEnd: () => list.isAtEnd,
      toEnd: () => list.toEnd(),
      show: (node) => {
        list.show(node);
        node.classList.add('flash');
        setTimeout(() => node.classList.remove('flash'), FLASH_MS);
      },
    };
    refreshStop(list.content);
    // Marks the displayed messages as read.
    this.props.page.change({});
  }

  override componentDidUpdate(): void {
    const list = this.#list.current;
    const newest = this.#all().at(-1);
    const isOwn =
      newest !== undefined && newest.messageId > this.#newest && newest.from.id === this.props.place.person.id;
    this.#newest = this.#newestId();
    if (list?.content) refreshStop(list.content);
    if (isOwn) list?.toEnd();
  }

  override render({ page, place }: ListProps): VNode {
    const { chat } = place;
    const messages = this.#all();
    const draft = page.drafts.of(chat.id);
    return (
      <FollowingList
        list={this.#list}
        ids={messages.map(({ messageId }) => messageId)}
        scroller={{ tabIndex: -1 }}
        content={{ role: 'log', 'aria-label': 'Messages', onContextMenu: (event) => this.#onContextMenu(event) }}
        drawButton={(missed) => (
          <button class="to-bottom" aria-label="To the newest message" onClick={() => this.#list.current?.toEnd()}>
            <Icon name="down" />
            {missed > 0 && (
              <span class="badge" id="to-bottom-badge">
                {missed}
              </span>
            )}
          </button>
        )}
        // Marks the messages below as read.
        onPin={() => page.change({})}
      >
        {page.store.hasOlder(chat.id) && (
          <button class="older" onClick={() => void loadOlder(page, place)}>
            Show earlier messages
          </button>
        )}
        {renderRows(messages)}
        {messages.length === 0 && !draft && <Welcome />}
        {draft && <DraftBubble key={`draft ${draft.draft.draftId}`} {...draft} />}
      </FollowingList>
    );
  }

  #all(): readonly MessageView[] {
    const { page, place } = this.props;
    return page.store.messagesOf(place.person.id, place.chat.id, place.topic);
  }

  #newestId(): number {
    return this.#all().reduce((newest, { messageId }) => Math.max(newest, messageId), 0);
  }

  /** Opens the message menu on right click or long press, except on links and selected text. */
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
