import type { Draft } from './draft.ts';
import type { MessageView } from './message-view.ts';

/** A visible change. `seq` only grows, also across restarts. */
export type FeedChange =
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
export type FeedEvent = (FeedChange | { readonly kind: 'reset' }) & { readonly seq: number };

/** Number of kept events, enough to resume after a laptop's sleep; a message view has about 300 bytes. */
const KEPT_EVENTS = 5_000;

/** The stream of changes. Events up to `knownFrom` are unknown. */
export class Feed {
  readonly #listeners = new Set<(event: FeedEvent) => void>();
  #kept: (FeedChange & { readonly seq: number })[] = [];
  /** `#kept` contains every event after this number. */
  #floor: number;

  constructor(knownFrom: number) {
    this.#floor = knownFrom;
  }

  publish(event: FeedChange & { readonly seq: number }): void {
    this.#kept.push(event);
    // Removes events in bulk, because each removal moves the whole array.
    if (this.#kept.length >= KEPT_EVENTS * 2) {
      this.#floor = this.#kept[KEPT_EVENTS - 1]?.seq ?? this.#floor;
      this.#kept = this.#kept.slice(KEPT_EVENTS);
    }
    for (const listener of this.#listeners) listener(event);
  }

  /** Sends known events after `after`, then new ones; `reset` comes first when some are lost. Returns a function that ends it. */
  subscribe(after: number | null, listener: (event: FeedEvent) => void): () => void {
    if (after !== null) {
      if (after < this.#floor) listener({ kind: 'reset', seq: this.#floor });
      for (const event of this.#kept) if (event.seq > after) listener(event);
    }
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
