import type { PageComponent, PatchStep } from '@signalbox/contracts/conversation/frames';

/** A component that a patch added, changed or removed. */
export interface ComponentChange {
  readonly id: string;
  readonly component: PageComponent | null;
}

/** The components of a page in order, built from patches. */
export class Conversation {
  readonly #components = new Map<string, PageComponent>();
  #list: readonly PageComponent[] | null = null;
  /** The number of the newest applied patch; null before the first. */
  seq: number | null = null;

  get components(): readonly PageComponent[] {
    this.#list ??= [...this.#components.values()].toSorted((one, other) => one.place - other.place);
    return this.#list;
  }

  /** Applies a patch and returns its changes; ignores an old patch. A patch that clears the page restarts the count. */
  apply(seq: number, steps: readonly PatchStep[]): readonly ComponentChange[] {
    const begins = steps.some(({ op }) => op === 'clear');
    if (!begins && this.seq !== null && seq < this.seq) return [];
    this.seq = seq;
    this.#list = null;
    return steps.flatMap((step) => this.#take(step));
  }

  #take(step: PatchStep): readonly ComponentChange[] {
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
