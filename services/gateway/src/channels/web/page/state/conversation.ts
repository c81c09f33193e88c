import type { Component, PatchStep } from '@signalbox/contracts/conversation/frames';

/** A component that a patch put, or took away. */
export interface Change {
  readonly id: string;
  /** Null: it was taken away. */
  readonly component: Component | null;
}

/** The components of a page, in their order, as the patches put them. */
export class Conversation {
  readonly #components = new Map<string, Component>();
  #list: readonly Component[] | null = null;
  /** The greatest patch that was applied; null before the first. */
  seq: number | null = null;

  get components(): readonly Component[] {
    this.#list ??= [...this.#components.values()].toSorted((one, other) => one.place - other.place);
    return this.#list;
  }

  /**
   * Applies a patch, unless a later one was applied before: what came on an older socket may come again. Answers what it changed. A patch
   * that clears the page begins its count anew.
   */
  apply(seq: number, steps: readonly PatchStep[]): readonly Change[] {
    const begins = steps.some(({ op }) => op === 'clear');
    if (!begins && this.seq !== null && seq < this.seq) return [];
    this.seq = seq;
    this.#list = null;
    return steps.flatMap((step) => this.#take(step));
  }

  #take(step: PatchStep): readonly Change[] {
    switch (step.op) {
      case 'put':
        this.#components.set(step.component.id, step.component);
        return [{ id: step.component.id, component: step.component }];
      case 'remove':
        this.#components.delete(step.id);
        return [{ id: step.id, component: null }];
      case 'clear': {
        const removed = [...this.#components.keys()];
        this.#components.clear();
        return removed.map((id) => ({ id, component: null }));
      }
    }
  }
}
