import { createHash } from 'node:crypto';
import { toTraceHex } from '@signalbox/contracts/ids';

/** A span of another program, which W3C's header `traceparent` names. */
export interface RemoteSpan {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
}

/** Reads a `traceparent` of any version. Null for everything that the standard calls invalid. */
export function parseTraceparent(header: unknown): RemoteSpan | null {
  if (typeof header !== 'string' || header.length > 200) return null;
  const match = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/.exec(header);
  const [, version = 'ff', traceId = '', spanId = '', rest] = match ?? [];
  if (version === 'ff' || (version === '00' && rest !== undefined)) return null;
  return /^0+$/.test(traceId) || /^0+$/.test(spanId) ? null : { traceId, spanId };
}

/** Writes the `traceparent` for requests to others: their spans go below our span with this key. */
export function formatTraceparent(traceId: string, key: string): string {
  return `00-${toOtelTraceId(traceId)}-${toOtelSpanId(traceId, key)}-01`;
}

/** Returns the W3C trace id of a trace: the digits of `trace_…`, or a hash of an older release's id. */
export function toOtelTraceId(traceId: string): string {
  return toTraceHex(traceId) ?? digest(traceId).slice(0, 32);
}

/** Returns OpenTelemetry's 8-byte id for a span with a key. */
export function toOtelSpanId(traceId: string, key: string): string {
  return digest(`${traceId}/${key}`).slice(0, 16);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
