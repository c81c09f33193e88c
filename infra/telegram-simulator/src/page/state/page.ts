import type { ComponentChildren } from 'preact';
import type { MessageView } from '../../store/message-view.ts';
import type { StoredCommand } from '../../store/event.ts';
import type { Draft } from '../../store/draft.ts';
import type { FeedEvent } from '../../store/feed.ts';
import { ComposerState } from '../composer/writing.ts';
import { tryAction } from './attempt.ts';
import { buildUrlHash, type ShownChat, readShownChat } from './shown-chat.ts';
import * as simulator from './simulator.ts';
import { Store } from './store.ts';
import { clickButton } from './simulator.ts';

/** Clients stop waiting after this time; the bot may still complete the action. */
const GIVE_UP_MS = 15_000;

/** The bot's answer to a click. */
interface ClickAnswer {
  readonly callbackQueryId: string;
  readonly text: string;
  readonly showAlert: boolean;
}

/** Batches thousands of events per second; animation frames would stop in background tabs. */
const BATCH_MS = 25;
const RETRY_MS = 1_000;
const TOAST_MS = 4_000;
/** Time that a sent draft stays visible when its message does not arrive. */
const SENDING_MS = 1_500;

/** The open panel. */
export interface SheetView {
  readonly label: string;
  readonly content: () => ComponentChildren;
}
/** Operations on the displayed message list. */
export interface ListControls {
  readonly isAtEnd: () => boolean;
  readonly toEnd: () => void;
  readonly show: (node: Element) => void;
}

/** State of the page: shown chat, data and overlays. Calls `onChange` to render again. */
export class Page {
  readonly store = new Store();
  /** Null until the first load is complete. */
  shown: ShownChat | null = null;
  isConnected = true;
  commands: readonly StoredCommand[] = [];
  sheet: SheetView | null = null;
  alerts: readonly string[] = [];
  list: ListControls | null = null;
  readonly typing: Expiring<string, string>;
  readonly drafts: Expiring<number, { readonly draft: Draft; readonly isSending: boolean }>;
  readonly toasts: Expiring<number, { readonly text: string; readonly kind: 'info' | 'error' }>;
  readonly clicks = new Clicks();
  readonly writing: ComposerState;
  readonly #onChange: () => void;
  #isDue = false;
  #toastCount = 0;
  /** Last processed event per person in their private event stream. */
  readonly #reached = new Map<number, number>();
  #whispersOf: number | null = null;
  #endWhispers = (): void => {};

  constructor(onChange: () => void) {
    this.#onChange = onChange;
    this.typing = new Expiring(onChange);
    this.drafts = new Expiring(onChange);
    this.toasts = new Expiring(onChange);
    this.writing = new ComposerState({ onChange, onProblem: (problem) => this.toast(problem, 'error') });
  }

  /** Loads everything and follows changes; retries while the simulator starts. */
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
        // A restarted simulator may have lost its data.
        if (isThere && !this.isConnected) this.#reload();
        this.change({ isConnected: isThere });
      },
    });
  }

  change(fields: Partial<Pick<Page, 'isConnected' | 'sheet' | 'alerts'>>): void {
    Object.assign(this, fields);
    this.#onChange();
  }

  /** Switches to a chat of a person, or to the list of chats, before the next key press. */
  go(shown: ShownChat): void {
    const hash = buildUrlHash(shown);
    // Key presses can overtake a `hashchange` event and reach the previous chat; `pushState` sends no such event.
    if (hash !== location.hash) history.pushState(null, '', hash);
    this.redraw();
  }

  /** Reads the shown chat from the address and renders the page. */
  redraw(): void {
    this.shown = readShownChat(location.hash, this.store);
    if (this.shown === null) return this.#onChange();
    this.writing.open(this.shown);
    this.#followWhispers(this.shown.person.id);
    void this.#loadCommands(this.shown);
    return this.#onChange();
  }

  /** Shows a short text that disappears by itself. */
  toast(text: string, kind: 'info' | 'error' = 'info'): void {
    this.toasts.put((this.#toastCount += 1), { text, kind }, TOAST_MS);
  }

  /** Runs an action. Shows a text: the reason of a failure, or the confirmation. */
  async runAction(work: () => Promise<unknown>, confirmation: string | null = null): Promise<void> {
    const problem = await tryAction(work);
    if (problem !== null) this.toast(problem, 'error');
    else if (confirmation !== null) this.toast(confirmation);
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
        return void (this.shown && this.#loadCommands(this.shown));
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

  /** Keeps a sent draft until its message arrives, so that the message replaces it in place. */
  #endDraft({ chatId, draftId, reason }: Extract<FeedEvent, { kind: 'draftEnd' }>): void {
    const known = this.drafts.of(chatId);
    if (known?.draft.draftId !== draftId) return;
    if (reason === 'sent') this.drafts.put(chatId, { ...known, isSending: true }, SENDING_MS);
    else this.drafts.drop(chatId);
  }

  /** Follows the ephemeral messages of the current person only, because browsers limit connections. */
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

  async #loadCommands({ person, chat }: ShownChat): Promise<void> {
    const commands = await simulator.listCommands(person.id, chat.id).catch(() => []);
    if (this.shown?.person.id !== person.id || this.shown.chat.id !== chat.id) return;
    this.commands = commands;
    this.#onChange();
  }
}

/** Presses buttons and waits for the bot's answers. */
class Clicks {
  /** An answer stays here for a while, because it can arrive before the response to its click. */
  readonly #answers = new Map<string, PromiseWithResolvers<ClickAnswer | null>>();

  /** Returns null without an answer in time. Throws the simulator's refusal. */
  async press(button: object): Promise<ClickAnswer | null> {
    const { callbackQueryId } = await clickButton(button);
    return this.#answerOf(callbackQueryId).promise;
  }

  answered(answer: ClickAnswer): void {
    this.#answerOf(answer.callbackQueryId).resolve(answer);
  }

  #answerOf(id: string): PromiseWithResolvers<ClickAnswer | null> {
    const known = this.#answers.get(id);
    if (known) return known;
    const answer = Promise.withResolvers<ClickAnswer | null>();
    this.#answers.set(id, answer);
    setTimeout(() => {
      answer.resolve(null);
      this.#answers.delete(id);
    }, GIVE_UP_MS);
    return answer;
  }
}

/** A map whose values expire. Calls `onChange` after each change. */
class Expiring<Key, Value> {
  readonly #shown = new Map<Key, { readonly value: Value; readonly timer: ReturnType<typeof setTimeout> }>();
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Returns the unexpired value of a key. */
  of(key: Key): Value | undefined {
    return this.#shown.get(key)?.value;
  }

  /** Returns all values with their keys, oldest first. */
  entries(): readonly (readonly [Key, Value])[] {
    return [...this.#shown].map(([key, { value }]) => [key, value]);
  }

  /** Stores a value for `forMs`; replaces the earlier one. */
  put(key: Key, value: Value, forMs: number): void {
    clearTimeout(this.#shown.get(key)?.timer);
    this.#shown.set(key, { value, timer: setTimeout(() => this.drop(key), forMs) });
    this.#onChange();
  }

  /** Removes a value. Idempotent. */
  drop(key: Key): void {
    clearTimeout(this.#shown.get(key)?.timer);
    if (this.#shown.delete(key)) this.#onChange();
  }
}
