import type { RequestFacts } from '@signalbox/contracts/tool-catalog';
import type { Field } from './schema.ts';
import type { Language, Mention } from '../names/mentions.ts';
import type { Span } from '../text/values.ts';

/** Why an argument could not be taken from the text although the text speaks of it. */
export type SlotProblem =
  | { readonly kind: 'unknown-name'; readonly field: Field; readonly written: string }
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
  readonly language: Language;
  /** Arguments that are settled already; the text does not change them. */
  readonly given: Readonly<Record<string, unknown>>;
}

/** What the steps of filling share. A stretch of the text fills one field at most. */
export interface Filling {
  readonly request: SlotRequest;
  readonly mentions: readonly Mention[];
  /** Fields that are still empty. */
  open(): readonly Field[];
  isFree(place: Span): boolean;
  /** Notes that the stretch is used, and the value when the field takes it. */
  put(field: Field, value: unknown, place: Span): void;
}
