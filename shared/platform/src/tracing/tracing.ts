import type { Closable } from '../lifecycle.ts';
import type { RemoteSpan } from './trace-context.ts';

/*
 * Spans are recorded when the work is over. No trace context travels between processes: a trace has the
 * trace id that all rows and messages of a request carry, and a parent span has a key that its children know, such as
 * an action id. So each process derives the same parents from the records that it reads anyway, even after a crash.
 */

/** Attributes of a span: our ids, our names, counts and codes. Never text of people or programs. Null is left out. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | readonly string[] | null>>;

/** The side of a span, as in OpenTelemetry: who asks (client), answers (server), leaves work (producer) or takes it (consumer). */
export type SpanSide = 'internal' | 'server' | 'client' | 'producer' | 'consumer';

export interface FinishedSpan {
  /** The span's name: fixed words, or an operation with the name of an agent, a tool or a model. Details go into the attributes. */
  readonly name: string;
  /** Default: internal. */
  readonly kind?: SpanSide;
  /** The trace id in the records of Signalbox. */
  readonly traceId: string;
  /** The key by which child spans in any process refer to this span. */
  readonly key?: string;
  /** The key of the parent span; null for the root span. */
  readonly parent: string | null;
  /** Start and end, in milliseconds since 1970. */
  readonly from: number;
  readonly until: number;
  readonly attributes: SpanAttributes;
  /** The code of the error that ended the operation. */
  readonly errorCode?: string | null;
  /** The span of another program that caused a root span: its parent in the same trace, else a link. */
  readonly remote?: RemoteSpan | null;
  /** Trace ids whose roots the span links to. */
  readonly links?: readonly string[];
}

/** Records the spans of one service. */
export interface Tracing extends Closable {
  /** False when no receiver is set: recording then does nothing. */
  readonly isOn: boolean;
  /** Records a finished span. Never waits and never throws. */
  record(span: FinishedSpan): void;
}

/** The key of a trace's root span: the turn of the first message, or the gateway's own answer. */
export const ROOT_SPAN_KEY = 'root';

export const NO_TRACING: Tracing = { isOn: false, record: () => undefined, close: () => Promise.resolve() };
