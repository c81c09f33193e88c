import type { ChangeNode } from '@signalbox/contracts/engineering/change';
import { makeStorable } from '@signalbox/contracts/storable';
import { redactValue } from '@signalbox/safety/redact/redact';
import type { ChangeStep, ChangeStore, NewChangeStep } from '@signalbox/store/engineering/changes';

/** What a step produced, and what it cost. */
export interface Produced<T> {
  readonly content: T;
  readonly spent?: Pick<NewChangeStep, 'model' | 'inputTokens' | 'outputTokens' | 'costUsd'>;
}

/**
 * The steps of a change in order. A repeated attempt of the job takes the same way: it gets each saved step instead of doing it again, and
 * goes on behind the last one. What a step produces is used as it was saved, without secrets, so that both ways are the same.
 */
export class ChangeSteps {
  readonly #saved: readonly ChangeStep[];
  readonly #store: Pick<ChangeStore, 'addStep'>;
  readonly #changeId: number;
  #at = 0;
  #tokens = new Map<ChangeNode, { calls: number; tokens: number }>();

  constructor(store: Pick<ChangeStore, 'addStep'>, changeId: number, saved: readonly ChangeStep[]) {
    this.#store = store;
    this.#changeId = changeId;
    this.#saved = saved;
  }

  /** Does a step once. Throws when another attempt of the job has taken over. */
  async do<T>(node: ChangeNode, kind: string, produce: () => Promise<Produced<T>>): Promise<T> {
    const saved = this.#saved[this.#at];
    this.#at += 1;
    if (saved !== undefined) {
      if (saved.node !== node || saved.kind !== kind)
        throw new Error(`step ${saved.n} was ${saved.node} ${saved.kind} and would be ${node} ${kind}`);
      this.#count(node, saved);
      return saved.content as T; // an earlier attempt of this code has stored it
    }
    const { content, spent = {} } = await produce();
    const kept = JSON.parse(JSON.stringify(makeStorable(redactValue(content)))) as T; // redaction keeps the shape
    const isSaved = await this.#store.addStep(this.#changeId, { n: this.#at, node, kind, content: kept, ...spent });
    if (!isSaved) throw new Error('another attempt has taken the change over');
    this.#count(node, { inputTokens: spent.inputTokens ?? 0, outputTokens: spent.outputTokens ?? 0 });
    return kept;
  }

  /** The person's answer, when it is the next step; null while nobody has answered. */
  takeAnswer(): string | null {
    const saved = this.#saved[this.#at];
    if (saved?.node !== 'person') return null;
    this.#at += 1;
    return (saved.content as { readonly text: string }).text; // `ChangeStore.answer` writes no others
  }

  /** Model calls and tokens of a node so far, over all attempts. */
  spentBy(node: ChangeNode): { readonly calls: number; readonly tokens: number } {
    return this.#tokens.get(node) ?? { calls: 0, tokens: 0 };
  }

  #count(node: ChangeNode, { inputTokens, outputTokens }: Pick<ChangeStep, 'inputTokens' | 'outputTokens'>): void {
    if (inputTokens + outputTokens === 0) return;
    const { calls, tokens } = this.spentBy(node);
    this.#tokens.set(node, { calls: calls + 1, tokens: tokens + inputTokens + outputTokens });
  }
}
