import type { Draft } from './draft.ts';
import type { MessageView } from './message-view.ts';

/** A change that someone can see. `seq` only grows, over restarts too. */
export type Change =
  | { readonly kind: 'message' | 'edit' | 'delete'; readonly chatId: number; readonly message: MessageView }
  | {
      readonly kind: 'chatAction';
      readonly chatId: number;
      readonly topicId: number | null;
      readonly action: string;
      readonly expiresInMs: number;
    }
  | { readonly kind: 'draft'; readonly chatId: number; readonly draft: Draft }
  | {
      readonly kind: 'draftEnd';
      readonly chatId: number;
      readonly draftId: number;
      readonly reason: 'sent' | 'stopped';
    }
  | {
      readonly kind: 'answer';
      readonly callbackQueryId: string;
      readonly personId: number;
      readonly text: string;
      readonly showAlert: boolean;
    }
  | { readonly kind: 'people' | 'commands' | 'bot' };
export type FeedEvent = (Change | { readonly kind: 'reset' }) & { readonly seq: number };

/** Long enough for a page to come back from a sleeping laptop; a message view is about 300 bytes. */
const KEPT_EVENTS = 5_000;

/** The stream of changes. Events up to `knownFrom` were before its time. */
export class Feed {
  readonly #listeners = new Set<(event: FeedEvent) => void>();
  #kept: (Change & { readonly seq: number })[] = [];
  /** Every event after this number is in `#kept`. */
  #floor: number;

  constructor(knownFrom: number) {
    this.#floor = knownFrom;
  }

  publish(event: Change & { readonly seq: number }): void {
    this.#kept.push(event);
    // Cut rarely and in bulk: shifting one by one moves the whole list each time.
    if (this.#kept.length >= KEPT_EVENTS * 2) {
      this.#floor = this.#kept[KEPT_EVENTS - 1]?.seq ?? this.#floor;
      this.#kept = this.#kept.slice(KEPT_EVENTS);
    }
    for (const listener of this.#listeners) listener(event);
  }

  /**
   * Calls the listener with every event after `after` that is still known, then with each new one. If some were
   * forgotten, a `reset` comes first: load everything again. Returns the function that ends it.
   */
  subscribe(after: number | null, listener: (event: FeedEvent) => void): () => void {
    if (after !== null) {
      if (after < this.#floor) listener({ kind: 'reset', seq: this.#floor });
      for (const event of this.#kept) if (event.seq > after) listener(event);
    }
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
