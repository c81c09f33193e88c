import type { ComponentChildren } from 'preact';
import type { MessageView } from '../../store/message-view.ts';
import type { Command } from '../../store/event.ts';
import type { Draft } from '../../store/draft.ts';
import type { FeedEvent } from '../../store/feed.ts';
import { Writing } from '../composer/writing.ts';
import { attempt } from './attempt.ts';
import { Clicks } from './clicks.ts';
import { Expiring } from './expiring.ts';
import { hashOf, type Place, readPlace } from './place.ts';
import * as simulator from './simulator.ts';
import { Store } from './store.ts';

/** Thousands of events may come in a second. Not an animation frame: those stop in a tab behind others. */
const BATCH_MS = 25;
const RETRY_MS = 1_000;
const TOAST_MS = 4_000;
/** Between the end of a draft and its message; longer only if the message never comes. */
const SENDING_MS = 1_500;

/** The panel that is open over the page. */
export interface SheetView {
  readonly label: string;
  readonly content: () => ComponentChildren;
}
/** What the shown list of messages can be asked for. */
export interface ShownList {
  readonly isAtEnd: () => boolean;
  readonly toEnd: () => void;
  readonly show: (node: Element) => void;
}

/** The page: where it is, what it knows, and what is open. `onChange` is called when it has to be drawn anew. */
export class Page {
  readonly store = new Store();
  /** Null until everything was loaded once. */
  place: Place | null = null;
  isConnected = true;
  commands: readonly Command[] = [];
  sheet: SheetView | null = null;
  alerts: readonly string[] = [];
  list: ShownList | null = null;
  readonly typing: Expiring<string, string>;
  readonly drafts: Expiring<number, { readonly draft: Draft; readonly isSending: boolean }>;
  readonly toasts: Expiring<number, { readonly text: string; readonly kind: 'info' | 'error' }>;
  readonly clicks = new Clicks();
  readonly writing: Writing;
  readonly #onChange: () => void;
  #isDue = false;
  #toastCount = 0;
  /** How far what one person alone sees was followed, by person. */
  readonly #reached = new Map<number, number>();
  #whispersOf: number | null = null;
  #endWhispers = (): void => {};

  constructor(onChange: () => void) {
    this.#onChange = onChange;
    this.typing = new Expiring(onChange);
    this.drafts = new Expiring(onChange);
    this.toasts = new Expiring(onChange);
    this.writing = new Writing({ onChange, onProblem: (problem) => this.toast(problem, 'error') });
  }

  /** Loads everything and follows what happens. The simulator may still be starting, or starting again. */
  async start(): Promise<void> {
    try {
      await this.#load();
    } catch {
      this.change({ isConnected: false });
      setTimeout(() => void this.start(), RETRY_MS);
      return;
    }
    this.change({ isConnected: true });
    window.addEventListener('hashchange', () => this.redraw());
    document.addEventListener('visibilitychange', this.#onChange);
    simulator.followEvents(this.store.seq, null, {
      onEvent: (event) => this.#handle(event),
      onState: (isThere) => {
        // A simulator that forgot everything does not know that we remember it.
        if (isThere && !this.isConnected) this.#reload();
        this.change({ isConnected: isThere });
      },
    });
  }

  /** Changes what is shown, and draws it. */
  change(fields: Partial<Pick<Page, 'isConnected' | 'sheet' | 'alerts'>>): void {
    Object.assign(this, fields);
    this.#onChange();
  }

  /** Goes to a chat of a person, or to the list of chats. */
  go(place: Place): void {
    location.hash = hashOf(place);
  }

  /** Reads the address again: it says where the page is. */
  redraw(): void {
    this.place = readPlace(location.hash, this.store);
    if (this.place === null) return this.#onChange();
    this.writing.open(this.place);
    this.#followWhispers(this.place.person.id);
    void this.#loadCommands(this.place);
    return this.#onChange();
  }

  /** Shows a short text which goes by itself. */
  toast(text: string, kind: 'info' | 'error' = 'info'): void {
    this.toasts.put((this.#toastCount += 1), { text, kind }, TOAST_MS);
  }

  /** Does something and shows why it could not be done. `praise` is said when it is done. */
  async tell(work: () => Promise<unknown>, praise: string | null = null): Promise<void> {
    const problem = await attempt(work);
    if (problem !== null) this.toast(problem, 'error');
    else if (praise !== null) this.toast(praise);
    this.#onChange();
  }

  async #load(): Promise<void> {
    for (const draft of await this.store.load()) this.#putDraft(draft);
    this.redraw();
  }

  #reload(): void {
    this.#load().catch(() => setTimeout(() => this.#reload(), RETRY_MS));
  }

  #handle(event: FeedEvent): void {
    switch (event.kind) {
      case 'reset':
        return this.#reload();
      case 'people':
        return void this.store.loadPeople().then(() => this.redraw());
      case 'bot':
        return void this.store.loadBot().then(() => this.redraw());
      case 'commands':
        return void (this.place && this.#loadCommands(this.place));
      case 'answer':
        return this.clicks.answered(event);
      case 'chatAction':
        return this.typing.put(`${event.chatId}/${event.topicId}`, event.action, event.expiresInMs);
      case 'draft':
        return this.#putDraft(event.draft);
      case 'draftEnd':
        return this.#endDraft(event);
      default:
        return this.#take(event.message, event.kind === 'message');
    }
  }

  #take(message: MessageView, isNew: boolean): void {
    if (!this.store.putMessage(message)) return;
    if (!this.#isDue) setTimeout(() => this.#drawBatch(), BATCH_MS);
    this.#isDue = true;
    if (!isNew || !message.from.isBot) return;
    this.drafts.drop(message.chatId);
    this.typing.drop(`${message.chatId}/${message.topicId}`);
  }

  #drawBatch(): void {
    this.#isDue = false;
    this.#onChange();
  }

  #putDraft(draft: Draft): void {
    this.drafts.put(draft.chatId, { draft, isSending: false }, draft.expiresAtMs - Date.now());
  }

  /** A draft that was sent stays until its message is there, so that the one takes the place of the other. */
  #endDraft({ chatId, draftId, reason }: Extract<FeedEvent, { kind: 'draftEnd' }>): void {
    const known = this.drafts.of(chatId);
    if (known?.draft.draftId !== draftId) return;
    if (reason === 'sent') this.drafts.put(chatId, { ...known, isSending: true }, SENDING_MS);
    else this.drafts.drop(chatId);
  }

  /** Follows what the one who speaks sees alone: a browser has too few connections to do so for everybody. */
  #followWhispers(person: number): void {
    if (person === this.#whispersOf) return;
    this.#endWhispers();
    this.#whispersOf = person;
    this.#endWhispers = simulator.followEvents(this.#reached.get(person) ?? this.store.seq, person, {
      onEvent: (event) => {
        this.#reached.set(person, event.seq);
        if (event.kind === 'reset') this.#reload();
        else if ('message' in event && event.message.ephemeral) this.#take(event.message, event.kind === 'message');
      },
    });
  }

  async #loadCommands({ person, chat }: Place): Promise<void> {
    const commands = await simulator.listCommands(person.id, chat.id).catch(() => []);
    if (this.place?.person.id !== person.id || this.place.chat.id !== chat.id) return;
    this.commands = commands;
    this.#onChange();
  }
}
