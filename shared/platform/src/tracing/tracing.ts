import type { Closable } from '../lifecycle.ts';

/*
 * What was done is recorded as spans when it is over. Nothing travels for it: a trace is named after the `trc_…` that all rows and messages
 * of a request carry, and a span that others belong under has a key that they know, such as the id of its action. So each process names the
 * same parents out of the records that it reads anyway, also after a crash.
 */

/** What a span may say: ids of ours, names of ours, counts, codes. Never words of people or programs. Null is left out. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | readonly string[] | null>>;

/** Something that was done, and is over. */
export interface FinishedSpan {
  /** One of a few names: what differs stands in the attributes. */
  readonly name: string;
  /** The trace of our records. */
  readonly traceId: string;
  /** By what other spans of the trace name this one, in any process. */
  readonly key?: string;
  /** The key of the span that it belongs under; null for the root. */
  readonly parent: string | null;
  /** Times in milliseconds since 1970. */
  readonly from: number;
  readonly until: number;
  readonly attributes: SpanAttributes;
  /** The code of the error that it ended with. */
  readonly errorCode?: string | null;
  /** Traces whose roots it has to do with. */
  readonly links?: readonly string[];
}

/** The spans of one service. */
export interface Tracing extends Closable {
  /** False: nobody gets them, and what is recorded is nothing. */
  readonly isOn: boolean;
  /** Never waits and never throws. */
  record(span: FinishedSpan): void;
}

/** The key of the root of every trace: the turn of the message that began it, or what the gateway answered itself. */
export const ROOT = 'root';

export const NO_TRACING: Tracing = { isOn: false, record: () => undefined, close: () => Promise.resolve() };
