import { abortAfter } from '@signalbox/contracts/time';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Log } from '../log.ts';
import type { TraceTarget } from './settings.ts';

interface ExporterOptions extends TraceTarget {
  readonly timeoutMs: number;
  /** The signal that aborts running requests. */
  readonly signal: AbortSignal;
  readonly log: Log;
}

/**
 * Sends span batches as OTLP JSON, once each: batches that the receiver refuses are lost, and the log says when losing starts and ends.
 * OpenTelemetry's own exporter would send the headers of OTEL_EXPORTER_OTLP_HEADERS to every receiver.
 */
export function createExporter(options: ExporterOptions): SpanExporter {
  const { log } = options;
  const host = new URL(options.url).host;
  let lost = 0;
  const send = async (spans: Parameters<SpanExporter['export']>[0]): Promise<Error | null> => {
    const failure = await post(options, JsonTraceSerializer.serializeRequest([...spans]));
    if (failure === null) {
      if (lost > 0) log.info('spans are taken again', { host, lost });
      lost = 0;
      return null;
    }
    if (lost === 0) log.warn('spans are not taken, and are lost until that is over', { host, error: failure });
    lost += spans.length;
    return failure;
  };
  return {
    export: (spans, done) =>
      void send(spans).then((failure) => done(failure === null ? { code: 0 } : { code: 1, error: failure })),
    shutdown: () => Promise.resolve(),
  };
}

/** Sends one request. Returns the problem; null on success. */
async function post(
  { url, headers, timeoutMs, signal }: ExporterOptions,
  body: Uint8Array | undefined,
): Promise<Error | null> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: Buffer.from(body ?? []),
      redirect: 'error', // the headers must not reach another host
      signal: AbortSignal.any([signal, abortAfter(timeoutMs)]),
    });
    await response.body?.cancel();
    return response.ok ? null : new Error(`the receiver answered ${response.status}`);
  } catch (thrown) {
    return thrown instanceof Error ? thrown : new Error(String(thrown));
  }
}
