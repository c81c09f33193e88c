import { AppError } from '@signalbox/contracts/errors';
import { z } from 'zod';

/** Where spans go and which. Neither an endpoint nor Langfuse's keys: nothing is traced, and no library for it is loaded. */
export const TracingConfig = z.object({
  /** Where an OpenTelemetry collector takes OTLP over HTTP, such as http://127.0.0.1:4318. `/v1/traces` is put behind it. */
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url().optional(),
  /** Sent along with the spans: `name=value` with commas between them, values percent-encoded. Secret. */
  OTEL_EXPORTER_OTLP_HEADERS: z.string().optional(),
  /** For so long a batch of spans may take, in milliseconds; after that it is lost. */
  OTEL_EXPORTER_OTLP_TIMEOUT: z.coerce.number().int().min(100).max(60_000).default(10_000),
  /** always_on, always_off or traceidratio; with `parentbased_` before it, it is the same here. */
  OTEL_TRACES_SAMPLER: z
    .string()
    .regex(/^(?:parentbased_)?(?:always_on|always_off|traceidratio)$/, 'is none of always_on, always_off, traceidratio')
    .default('always_on'),
  /** The share of traces with traceidratio, from 0 to 1. */
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
  /** Said of everything that is sent: `name=value` with commas between them, such as deployment.environment.name=production. */
  OTEL_RESOURCE_ATTRIBUTES: z.string().optional(),
  /** The address of Langfuse, such as https://cloud.langfuse.com. Needs both keys. */
  LANGFUSE_BASE_URL: z.url().optional(),
  /** The public key of a Langfuse project. */
  LANGFUSE_PUBLIC_KEY: z.string().optional(),
  /** The secret key of that project. Secret. */
  LANGFUSE_SECRET_KEY: z.string().optional(),
});
export type TracingConfig = z.infer<typeof TracingConfig>;

/** Of a process that holds no secret: it may know an address that asks for none. */
export const TracingWithoutKeysConfig = TracingConfig.pick({
  OTEL_EXPORTER_OTLP_ENDPOINT: true,
  OTEL_TRACES_SAMPLER: true,
  OTEL_TRACES_SAMPLER_ARG: true,
  OTEL_RESOURCE_ATTRIBUTES: true,
});

/** One receiver of spans. */
export interface TraceTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Who gets the spans; nobody when nothing is set. Throws CONFIG_INVALID when Langfuse is set by half. */
export function traceTargets(config: TracingConfig): readonly TraceTarget[] {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers = '' } = config;
  const collector = endpoint === undefined ? [] : [{ url: under(endpoint, 'v1/traces'), headers: readPairs(headers) }];
  return [...collector, ...langfuseOf(config)];
}

function langfuseOf(config: TracingConfig): readonly TraceTarget[] {
  const { LANGFUSE_BASE_URL: base, LANGFUSE_PUBLIC_KEY: name, LANGFUSE_SECRET_KEY: key } = config;
  if (base === undefined && name === undefined && key === undefined) return [];
  if (base === undefined || name === undefined || key === undefined)
    throw new AppError('CONFIG_INVALID', {
      problems: 'LANGFUSE_BASE_URL, LANGFUSE_PUBLIC_KEY, LANGFUSE_SECRET_KEY: set all three or none',
    });
  const authorization = `Basic ${Buffer.from(`${name}:${key}`).toString('base64')}`;
  return [{ url: under(base, 'api/public/otel/v1/traces'), headers: { authorization } }];
}

/** Reads `name=value,name=value`, as OpenTelemetry writes headers and attributes. What is no pair is left out. */
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
    return value; // a percent sign of its own
  }
}

function under(base: string, path: string): string {
  return `${base.replace(/\/+$/, '')}/${path}`;
}
