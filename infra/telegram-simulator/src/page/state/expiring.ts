/** A map whose values expire. Calls `onChange` after each change. */
export class Expiring<Key, Value> {
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
