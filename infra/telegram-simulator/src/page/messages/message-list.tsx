import { Icon } from '@signalbox/page-kit/icons';
import { AutoScrollList } from '@signalbox/page-kit/auto-scroll-list';
import { Component, createRef, type VNode } from 'preact';
import type { MessageView } from '../../store/message-view.ts';
import { loadOlderMessages } from '../state/actions.ts';
import type { Page } from '../state/page.ts';
import type { ShownChat } from '../state/shown-chat.ts';
import { openMessageMenu } from '../sheets/message-menu.tsx';
import type { Draft } from '../../store/draft.ts';
import { usePage, useShownChat } from '../state/context.ts';
import { postAction } from '../state/simulator.ts';
import { MessageBody, Bubble } from './bubble.tsx';
import { formatDay } from './amounts.ts';

/** Messages of one person within this time share one name. */
const TOGETHER_SECONDS = 300;

type Album = [MessageView, ...MessageView[]];

const MESSAGES = '.message:not(.draft)';

const FLASH_MS = 1_600;

interface ListProps {
  readonly page: Page;
  readonly shown: ShownChat;
}

/** The messages of one chat as one person sees them, with the bot's draft. Scrolls down when the person sends. */
export class MessageList extends Component<ListProps> {
  readonly #list = createRef<AutoScrollList>();
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
      newest !== undefined && newest.messageId > this.#newest && newest.from.id === this.props.shown.person.id;
    this.#newest = this.#newestId();
    if (list?.content) refreshStop(list.content);
    if (isOwn) list?.toEnd();
  }

  override render({ page, shown }: ListProps): VNode {
    const { chat } = shown;
    const messages = this.#all();
    const draft = page.drafts.of(chat.id);
    return (
      <AutoScrollList
        list={this.#list}
        ids={messages.map(({ messageId }) => messageId)}
        scroller={{ tabIndex: -1 }}
        content={{ role: 'log', 'aria-label': 'Messages', onContextMenu: (event) => this.#onContextMenu(event) }}
        renderEndButton={(unseen) => (
          <button class="to-bottom" aria-label="To the newest message" onClick={() => this.#list.current?.toEnd()}>
            <Icon name="down" />
            {unseen > 0 && (
              <span class="badge" id="to-bottom-badge">
                {unseen}
              </span>
            )}
          </button>
        )}
        // Marks the messages below as read.
        onEndChange={() => page.change({})}
      >
        {page.store.hasOlder(chat.id) && (
          <button class="older" onClick={() => void loadOlderMessages(page, shown)}>
            Show earlier messages
          </button>
        )}
        {renderRows(messages)}
        {messages.length === 0 && !draft && <Welcome />}
        {draft && <DraftBubble key={`draft ${draft.draft.draftId}`} {...draft} />}
      </AutoScrollList>
    );
  }

  #all(): readonly MessageView[] {
    const { page, shown } = this.props;
    return page.store.messagesOf(shown.person.id, shown.chat.id, shown.topic);
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
    const { page, shown } = this.props;
    const id = target?.closest<HTMLElement>('.message')?.dataset['id'];
    const message = page.store.message(shown.chat.id, Number(id));
    if (message) openMessageMenu(page, shown, message);
  }
}

/** The message that the bot is writing, with Stop beside it; positioned so that the final message replaces it without movement. */
function DraftBubble({ draft, isSending }: { readonly draft: Draft; readonly isSending: boolean }): VNode {
  const page = usePage();
  const { person } = useShownChat();
  return (
    <article class="message other starts draft" aria-label="The bot is writing" aria-busy="true">
      <div class="column">
        <div class="line">
          <div class={draft.rich ? 'bubble rich' : 'bubble'}>
            {draft.rich === null && draft.text === '' && <span class="thinking">Thinking…</span>}
            <MessageBody message={draft}>
              <span aria-hidden="true">…</span>
            </MessageBody>
          </div>
          {draft.canStop && !isSending && (
            <button
              class="stop"
              title="Stop writing"
              onClick={() => void page.runAction(() => postAction('drafts/stop', { from: person.id }))}
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

/** Makes the message list one Tab stop: arrows, Home and End move between messages, Enter opens the menu. */
function followFocus(container: HTMLElement, onMenu: (message: HTMLElement) => void): void {
  container.addEventListener('focusin', ({ target }) => {
    if (target instanceof HTMLElement && target.matches(MESSAGES)) makeStop(container, target);
  });
  container.addEventListener('keydown', (event) => {
    const { target, key } = event;
    if (!(target instanceof HTMLElement) || !target.matches(MESSAGES)) return;
    const all = [...container.querySelectorAll<HTMLElement>(MESSAGES)];
    const index = all.indexOf(target);
    const steps: Record<string, number> = { ArrowUp: index - 1, ArrowDown: index + 1, Home: 0, End: all.length - 1 };
    const next = all[steps[key] ?? -1];
    if (!next && key !== 'Enter') return;
    event.preventDefault();
    if (next) {
      next.focus({ preventScroll: true });
      next.scrollIntoView({ block: 'nearest' });
      return;
    }
    onMenu(target);
  });
}

/** Makes the newest message the Tab stop, unless the list has the focus. */
function refreshStop(container: HTMLElement): void {
  if (container.contains(document.activeElement)) return;
  makeStop(container, [...container.querySelectorAll<HTMLElement>(MESSAGES)].at(-1));
}

function makeStop(container: HTMLElement, message: HTMLElement | undefined): void {
  for (const one of container.querySelectorAll<HTMLElement>('.message[tabindex="0"]')) one.tabIndex = -1;
  if (message) message.tabIndex = 0;
}

/** Renders messages with day separators. */
function renderRows(messages: readonly MessageView[]): VNode[] {
  let day = '';
  return groupAlbums(messages).flatMap((album, index, albums) => {
    const [first] = album;
    const isNewDay = formatDay(first.date) !== day;
    day = formatDay(first.date);
    const above = albums[index - 1]?.at(-1);
    const continues = !isNewDay && above?.from.id === first.from.id && first.date - above.date < TOGETHER_SECONDS;
    const row = <Bubble key={first.messageId} messages={album} continues={continues} />;
    if (!isNewDay) return [row];
    return [
      <div class="day" key={`day ${day}`}>
        {day}
      </div>,
      row,
    ];
  });
}

/** Groups the messages of an album; every other message is its own group. */
function groupAlbums(messages: readonly MessageView[]): readonly Album[] {
  const albums: Album[] = [];
  for (const message of messages) {
    const last = albums.at(-1);
    if (last && message.albumId !== null && last[0].albumId === message.albumId) last.push(message);
    else albums.push([message]);
  }
  return albums;
}

/** Placeholder of an empty chat: who you are, and how to begin. */
function Welcome(): VNode {
  const [page, shown] = [usePage(), useShownChat()];
  const [title, hint, tries] = describe(page, shown);
  return (
    <div class="empty">
      <h2>{title}</h2>
      <p>{hint}</p>
      <div class="tries">
        {tries.map((text) => (
          <button class="try" onClick={() => void page.writing.submit(text)}>
            {text}
          </button>
        ))}
      </div>
    </div>
  );
}

/** Returns a heading, a hint and example messages. */
function describe({ store }: Page, { person, chat }: ShownChat): readonly [string, string, readonly string[]] {
  if (chat.type === 'group') {
    const hint = 'As in Telegram, here the bot reads only commands, replies to it and messages that mention it. Try:';
    return ['A group with the bot in it', hint, [`@${store.bot?.username} what is running?`, '/status']];
  }
  if (person.role !== 'stranger') {
    const tries = ['Hello!', 'create a project called shop', '/help'];
    return [`You speak as ${person.name}, ${person.role}`, 'Say hello, or try:', tries];
  }
  const hint = 'This person has not been let in yet. Say hello and see what a stranger gets:';
  return [`${person.name} is a stranger`, hint, ['Hello!']];
}
