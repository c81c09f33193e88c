import { createHash, randomBytes } from 'node:crypto';
import { ROOT_CONTEXT, SpanStatusCode, trace, TraceFlags, type Attributes, type HrTime } from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
} from '@opentelemetry/sdk-trace';
import { withinMs } from '@signalbox/contracts/time';
import { redactForLog } from '@signalbox/safety/redact/redact';
import type { Log } from '../log.ts';
import { createExporter } from './exporter.ts';
import { readPairs, type TraceTarget, type TracingConfig } from './settings.ts';
import { ROOT, type FinishedSpan, type SpanAttributes, type Tracing } from './tracing.ts';

/** Spans wait so long for others to be sent with. */
const BATCH_MS = 1_000;
/** More are lost while a receiver is slow: some megabytes. */
const QUEUE_SPANS = 4_096;
/** A service that stops waits so long for its last spans. */
const CLOSE_MS = 1_500;
/** Nothing that we say of a span is longer. */
const LONGEST = 200;

/** Records spans with OpenTelemetry's SDK and sends them to each receiver. Loaded only where there is one. */
export function createOtelTracing(options: {
  readonly targets: readonly TraceTarget[];
  readonly service: string;
  readonly config: TracingConfig;
  readonly log: Log;
}): Tracing {
  const { targets, service, config, log } = options;
  const stop = new AbortController();
  const timeoutMs = config.OTEL_EXPORTER_OTLP_TIMEOUT;
  // The SDK asks for the ids of a span while it is started, which takes no turn of the event loop.
  let next = { traceId: '', spanId: '' };
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': `signalbox-${service}`,
      'service.namespace': 'signalbox',
      ...readPairs(config.OTEL_RESOURCE_ATTRIBUTES ?? ''),
    }),
    sampler: samplerOf(config),
    idGenerator: { generateTraceId: () => next.traceId, generateSpanId: () => next.spanId },
    spanProcessors: targets.map(
      (target) =>
        new BatchSpanProcessor({
          exporter: createExporter({ ...target, timeoutMs, signal: stop.signal, log }),
          scheduledDelayMillis: BATCH_MS,
          maxQueueSize: QUEUE_SPANS,
          exportTimeoutMillis: timeoutMs + BATCH_MS,
        }),
    ),
  });
  const tracer = provider.getTracer('signalbox');

  const record = (span: FinishedSpan): void => {
    const traceId = traceIdOf(span.traceId);
    next = {
      traceId,
      spanId: span.key === undefined ? randomBytes(8).toString('hex') : spanIdOf(span.traceId, span.key),
    };
    const parent =
      span.parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, contextOf(span.traceId, span.parent));
    const started = tracer.startSpan(
      span.name,
      {
        startTime: toHrTime(span.from),
        attributes: clean({
          ...span.attributes,
          'signalbox.trace_id': span.traceId,
          'error.type': span.errorCode ?? null,
        }),
        links: (span.links ?? []).map((linked) => ({ context: contextOf(linked, ROOT) })),
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
      await withinMs(
        provider.shutdown().catch(() => undefined), // the exporter has said so
        CLOSE_MS,
      );
      stop.abort();
    },
  };
}

/** 16 bytes as OpenTelemetry names a trace, from the name that our records have for it. */
export function traceIdOf(ours: string): string {
  return digest(ours).slice(0, 32);
}

/** 8 bytes for a span of a trace that has a key. */
export function spanIdOf(ours: string, key: string): string {
  return digest(`${ours}/${key}`).slice(0, 16);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function contextOf(ours: string, key: string) {
  return { traceId: traceIdOf(ours), spanId: spanIdOf(ours, key), traceFlags: TraceFlags.SAMPLED, isRemote: true };
}

/** All spans of a trace are decided about by its id, which every process knows: so all are kept or none. */
function samplerOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: share }: TracingConfig): Sampler {
  if (name.endsWith('always_off')) return new AlwaysOffSampler();
  return name.endsWith('traceidratio') ? new TraceIdRatioBasedSampler(share) : new AlwaysOnSampler();
}

/** As the log redacts what it writes: nothing here should need it, and nothing here may be trusted not to. */
function clean(attributes: SpanAttributes): Attributes {
  const cleanText = (text: string): string => redactForLog(text).slice(0, LONGEST);
  const cleaned: Attributes = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null) continue;
    if (typeof value === 'string') cleaned[name] = cleanText(value);
    else cleaned[name] = typeof value === 'object' ? value.map(cleanText) : value;
  }
  return cleaned;
}

/** A number would be read as a time since the process began when it is before that. */
function toHrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * 1e6)];
}
