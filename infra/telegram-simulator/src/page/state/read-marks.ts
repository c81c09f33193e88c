const KEY = 'signalbox-simulator-read';

/**
 * The newest message that each person has seen in each chat. The browser keeps it; where it refuses to, it lasts until
 * the page closes.
 */
export class ReadMarks {
  readonly #marks: Record<string, number> = load();

  of(person: number, chat: string): number {
    return this.#marks[`${person}:${chat}`] ?? 0;
  }

  /** Moves a mark forward, never back. */
  set(person: number, chat: string, messageId: number): void {
    if (this.of(person, chat) >= messageId) return;
    this.#marks[`${person}:${chat}`] = messageId;
    try {
      localStorage.setItem(KEY, JSON.stringify(this.#marks));
    } catch {
      // See ReadMarks: private windows may refuse.
    }
  }
}

function load(): Record<string, number> {
  try {
    // Nobody else writes this key.
    return JSON.parse(localStorage.getItem(KEY) ?? '{}') as Record<string, number>;
  } catch {
    return {};
  }
}
