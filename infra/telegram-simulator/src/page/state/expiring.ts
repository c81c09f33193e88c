/** Values that go by themselves after a time. `onChange` is called after each change. */
export class Expiring<Key, Value> {
  readonly #shown = new Map<Key, { readonly value: Value; readonly timer: ReturnType<typeof setTimeout> }>();
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** The value of a key, while it lasts. */
  of(key: Key): Value | undefined {
    return this.#shown.get(key)?.value;
  }

  /** All values with their keys, the oldest first. */
  entries(): readonly (readonly [Key, Value])[] {
    return [...this.#shown].map(([key, { value }]) => [key, value]);
  }

  /** Keeps a value for so many milliseconds. It replaces the earlier one. */
  put(key: Key, value: Value, forMs: number): void {
    clearTimeout(this.#shown.get(key)?.timer);
    this.#shown.set(key, { value, timer: setTimeout(() => this.drop(key), forMs) });
    this.#onChange();
  }

  /** Forgets a value now. Idempotent. */
  drop(key: Key): void {
    clearTimeout(this.#shown.get(key)?.timer);
    if (this.#shown.delete(key)) this.#onChange();
  }
}
