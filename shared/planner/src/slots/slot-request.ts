import type { RequestFacts } from '@signalbox/contracts/tool-catalog';
import type { KnownNames, Mention } from '../text/mentions.ts';
import type { Field } from './schema.ts';
import type { Spans } from '../text/spans.ts';

/** Why an argument could not be taken from the text although the text speaks of it. */
export type SlotProblem =
  | { readonly kind: 'unknown-name'; readonly field: Field; readonly written: string }
  | {
      readonly kind: 'which-name';
      readonly field: Field;
      readonly written: string;
      readonly candidates: readonly string[];
    }
  | { readonly kind: 'invalid'; readonly field: Field; readonly written: string; readonly wanted: string };

export interface Filled {
  readonly args: Record<string, unknown>;
  readonly problem: SlotProblem | null;
}

export interface SlotRequest {
  /** Cleaned. */
  readonly text: string;
  readonly fields: readonly Field[];
  readonly facts: RequestFacts;
  /** The vocabulary: words that are never taken for a name. */
  readonly words: ReadonlySet<string>;
  /** Names of kinds that are a closed set. */
  readonly closed?: KnownNames;
  /** Arguments that are settled already; the text does not change them. */
  readonly given: Readonly<Record<string, unknown>>;
}

export type Put = (field: Field, value: unknown, written: string) => void;

/** What the steps of filling share. */
export interface Filling {
  readonly request: SlotRequest;
  readonly mentions: readonly Mention[];
  readonly spans: Spans;
  /** Fields that are still empty. */
  open(): readonly Field[];
  readonly put: Put;
}
