import { AppError } from '@signalbox/contracts/errors';
import { z } from 'zod';

/** The receivers of spans, and the sampled share. Without an endpoint or Langfuse keys nothing is traced, and no library is loaded. */
export const TracingConfig = z.object({
  /** OTLP-over-HTTP address of an OpenTelemetry collector, such as http://127.0.0.1:4318. `/v1/traces` is appended. */
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url().optional(),
  /** The whole address for traces, when it differs from the one above. It is used as it is. */
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: z.url().optional(),
  /** Headers for the collector: comma-separated `name=value`, values percent-encoded. Secret. */
  OTEL_EXPORTER_OTLP_HEADERS: z.string().optional().meta({ secret: true }),
  /** Headers for traces only, instead of the headers above. Secret. */
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: z.string().optional().meta({ secret: true }),
  /** `true` turns traces off, whatever else is set. */
  OTEL_SDK_DISABLED: z.string().optional(),
  /** Name of a service in traces. Default: signalbox- and its name, such as signalbox-worker. */
  OTEL_SERVICE_NAME: z.string().optional(),
  /** Timeout of one batch of spans in milliseconds; then the batch is lost. */
  OTEL_EXPORTER_OTLP_TIMEOUT: z.coerce.number().int().min(100).max(60_000).default(10_000),
  /** The sampler of traces: always_on, always_off or traceidratio; the prefix `parentbased_` changes nothing. */
  OTEL_TRACES_SAMPLER: z
    .string()
    .regex(/^(?:parentbased_)?(?:always_on|always_off|traceidratio)$/, 'is none of always_on, always_off, traceidratio')
    .default('always_on'),
  /** The share of traces with traceidratio, from 0 to 1. */
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
  /** Attributes of every span: comma-separated `name=value`, such as deployment.environment.name=production. */
  OTEL_RESOURCE_ATTRIBUTES: z.string().optional(),
  /** The address of Langfuse, such as https://cloud.langfuse.com. Needs both keys. */
  LANGFUSE_BASE_URL: z.url().optional(),
  /** The public key of a Langfuse project, which can be read from a file like the secret key. */
  LANGFUSE_PUBLIC_KEY: z.string().optional().meta({ secret: true }),
  /** The secret key of the Langfuse project. Secret. */
  LANGFUSE_SECRET_KEY: z.string().optional().meta({ secret: true }),
});
export type TracingConfig = z.infer<typeof TracingConfig>;

/** The variables for processes that may hold no secret: an endpoint without headers or keys. */
export const TracingWithoutKeysConfig = TracingConfig.pick({
  OTEL_EXPORTER_OTLP_ENDPOINT: true,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: true,
  OTEL_SDK_DISABLED: true,
  OTEL_SERVICE_NAME: true,
  OTEL_TRACES_SAMPLER: true,
  OTEL_TRACES_SAMPLER_ARG: true,
  OTEL_RESOURCE_ATTRIBUTES: true,
});

/** One receiver of spans. */
export interface TraceTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Lists the receivers of spans; empty when none is configured. Throws CONFIG_INVALID when Langfuse is set by half. */
export function listTraceTargets(config: TracingConfig): readonly TraceTarget[] {
  if (config.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return [];
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_HEADERS: common } = config;
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own, OTEL_EXPORTER_OTLP_TRACES_HEADERS: headers = common } = config;
  const url = own ?? (base === undefined ? null : joinUrl(base, 'v1/traces'));
  const collector = url === null ? [] : [{ url, headers: readPairs(headers ?? '') }];
  return [...collector, ...listLangfuseTargets(config)];
}

function listLangfuseTargets(config: TracingConfig): readonly TraceTarget[] {
  const { LANGFUSE_BASE_URL: base, LANGFUSE_PUBLIC_KEY: name, LANGFUSE_SECRET_KEY: key } = config;
  if (base === undefined && name === undefined && key === undefined) return [];
  if (base === undefined || name === undefined || key === undefined)
    throw new AppError('CONFIG_INVALID', {
      problems: 'LANGFUSE_BASE_URL, LANGFUSE_PUBLIC_KEY, LANGFUSE_SECRET_KEY: set all three or none',
    });
  const authorization = `Basic ${Buffer.from(`${name}:${key}`).toString('base64')}`;
  return [{ url: joinUrl(base, 'api/public/otel/v1/traces'), headers: { authorization } }];
}

/** Parses `name=value,name=value`, the OpenTelemetry form of headers and attributes. Malformed pairs are ignored. */
export function readPairs(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(',').flatMap((pair) => {
    const [, name, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
    return name === undefined || value === undefined ? [] : [[name, decode(value)] as const];
  });
  return Object.fromEntries(pairs);
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value; // the text has a literal percent sign
  }
}

function joinUrl(base: string, path: string): string {
  return `${base.replace(/\/+$/, '')}/${path}`;
}
