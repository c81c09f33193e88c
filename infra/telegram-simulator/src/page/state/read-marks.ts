const KEY = 'signalbox-simulator-read';

/** The newest message that each person has read in each chat. Stored by the browser, or in memory where it refuses. */
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
      // Private windows may refuse storage; the marks stay in memory.
    }
  }
}

function load(): Record<string, number> {
  try {
    // Only this class writes the key.
    return JSON.parse(localStorage.getItem(KEY) ?? '{}') as Record<string, number>;
  } catch {
    return {};
  }
}
