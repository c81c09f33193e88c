import { randomBytes } from 'node:crypto';
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes,
  type HrTime,
} from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
} from '@opentelemetry/sdk-trace';
import { waitAtMost } from '@signalbox/contracts/time';
import { redactForLog } from '@signalbox/safety/redact/redact';
import type { Log } from '../log.ts';
import { VERSION } from '../version.ts';
import { createExporter } from './exporter.ts';
import { toOtelSpanId, toOtelTraceId, type RemoteSpan } from './trace-context.ts';
import { readPairs, type TraceTarget, type TracingConfig } from './settings.ts';
import { ROOT_SPAN_KEY, type FinishedSpan, type SpanAttributes, type SpanSide, type Tracing } from './tracing.ts';

const KINDS: Readonly<Record<SpanSide, SpanKind>> = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

/** Milliseconds between two batches of spans. */
const BATCH_MS = 1_000;
/** Maximum spans that wait for a slow receiver, some megabytes; further spans are dropped. */
const MAX_QUEUED_SPANS = 4_096;
/** Maximum time that a stopping service waits for sending its last spans. */
const CLOSE_TIMEOUT_MS = 1_500;
/** Maximum length of an attribute's value, in characters. */
const MAX_VALUE_LENGTH = 200;

/** Records spans with OpenTelemetry's SDK and sends them to each receiver. This file is imported only when a receiver is set. */
export function createOtelTracing(options: {
  readonly targets: readonly TraceTarget[];
  readonly service: string;
  readonly config: TracingConfig;
  readonly log: Log;
}): Tracing {
  const { targets, service, config, log } = options;
  const stop = new AbortController();
  const timeoutMs = config.OTEL_EXPORTER_OTLP_TIMEOUT;
  // The SDK calls the id generator synchronously in startSpan, so one variable suffices.
  let nextIds = { traceId: '', spanId: '' };
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': `signalbox-${service}`,
      'service.namespace': 'signalbox',
      'service.version': VERSION,
      'signalbox.service': service,
      ...readPairs(config.OTEL_RESOURCE_ATTRIBUTES ?? ''),
      ...(config.OTEL_SERVICE_NAME ? { 'service.name': config.OTEL_SERVICE_NAME } : {}),
    }),
    sampler: createSampler(config),
    idGenerator: { generateTraceId: () => nextIds.traceId, generateSpanId: () => nextIds.spanId },
    spanProcessors: targets.map(
      (target) =>
        new BatchSpanProcessor({
          exporter: createExporter({ ...target, timeoutMs, signal: stop.signal, log }),
          scheduledDelayMillis: BATCH_MS,
          maxQueueSize: MAX_QUEUED_SPANS,
          exportTimeoutMillis: timeoutMs + BATCH_MS,
        }),
    ),
  });
  const tracer = provider.getTracer('signalbox');

  const record = (span: FinishedSpan): void => {
    const traceId = toOtelTraceId(span.traceId);
    nextIds = {
      traceId,
      spanId: span.key === undefined ? randomBytes(8).toString('hex') : toOtelSpanId(span.traceId, span.key),
    };
    const { remote = null } = span;
    const isOfRemote = span.parent === null && remote?.traceId === traceId;
    const above = span.parent === null ? null : toSpanContext(span.traceId, span.parent);
    const context = isOfRemote ? toRemoteContext(remote) : above;
    const parent = context === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, context);
    const links = (span.links ?? []).map((linked) => toSpanContext(linked, ROOT_SPAN_KEY));
    if (remote !== null && !isOfRemote) links.push(toRemoteContext(remote));
    const started = tracer.startSpan(
      redactForLog(span.name).slice(0, MAX_VALUE_LENGTH),
      {
        kind: KINDS[span.kind ?? 'internal'],
        startTime: toHrTime(span.from),
        attributes: clean({
          ...span.attributes,
          'signalbox.trace_id': span.traceId,
          'error.type': span.errorCode ?? null,
        }),
        links: links.map((one) => ({ context: one })),
      },
      parent,
    );
    if (span.errorCode) started.setStatus({ code: SpanStatusCode.ERROR });
    started.end(toHrTime(Math.max(span.from, span.until)));
  };

  return {
    isOn: true,
    record,
    close: async () => {
      await waitAtMost(
        provider.shutdown().catch(() => undefined), // the exporter has logged the failure
        CLOSE_TIMEOUT_MS,
      );
      stop.abort();
    },
  };
}

function toRemoteContext(span: RemoteSpan) {
  return { ...span, traceFlags: TraceFlags.SAMPLED, isRemote: true };
}

function toSpanContext(traceId: string, key: string) {
  return {
    traceId: toOtelTraceId(traceId),
    spanId: toOtelSpanId(traceId, key),
    traceFlags: TraceFlags.SAMPLED,
    isRemote: true,
  };
}

/** Samples by trace id, which every process knows: all spans of a trace are kept, or none. */
function createSampler({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: share }: TracingConfig): Sampler {
  if (name.endsWith('always_off')) return new AlwaysOffSampler();
  return name.endsWith('traceidratio') ? new TraceIdRatioBasedSampler(share) : new AlwaysOnSampler();
}

/** Redacts attributes as the log does, although no attribute should hold a secret. */
function clean(attributes: SpanAttributes): Attributes {
  const cleanText = (text: string): string => redactForLog(text).slice(0, MAX_VALUE_LENGTH);
  const cleaned: Attributes = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null) continue;
    if (typeof value === 'string') cleaned[name] = cleanText(value);
    else cleaned[name] = typeof value === 'object' ? value.map(cleanText) : value;
  }
  return cleaned;
}

/** OpenTelemetry reads a small number as time since the process started, so the result has both parts. */
function toHrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * 1e6)];
}
