import type { ModelRequestFacts } from '@signalbox/contracts/tool-catalog';
import type { Field } from './schema.ts';
import type { ToolVocabulary, Mention } from '../names/mentions.ts';
import type { Span } from '../text/values.ts';

/** Why the value of an argument could not be read although the text mentions one. */
export type SlotProblem =
  | { readonly kind: 'unknown-name'; readonly field: Field; readonly written: string }
  | { readonly kind: 'invalid'; readonly field: Field; readonly written: string; readonly wanted: string };

export interface FilledSlots {
  readonly args: Record<string, unknown>;
  readonly problem: SlotProblem | null;
}

export interface SlotRequest {
  /** The cleaned text from which the arguments are read. */
  readonly text: string;
  readonly fields: readonly Field[];
  readonly facts: ModelRequestFacts;
  readonly language: ToolVocabulary;
  /** Arguments whose values are already final. */
  readonly given: Readonly<Record<string, unknown>>;
}

/** State that the filling steps share. Each part of the text fills at most one field. */
export interface FillingState {
  readonly request: SlotRequest;
  readonly mentions: readonly Mention[];
  /** Lists the fields that have no value yet. */
  open(): readonly Field[];
  isFree(place: Span): boolean;
  /** Marks a part of the text as used, and stores the value if the field accepts it. */
  put(field: Field, value: unknown, place: Span): void;
}
