import { describe, expect, it } from 'vitest';
import { readPairs, listTraceTargets, TracingConfig } from './settings.ts';

const targets = (environment: Readonly<Record<string, string>>) => listTraceTargets(TracingConfig.parse(environment));

describe('the settings of tracing', () => {
  it('no trace is sent anywhere when no receiver is configured', () => {
    expect(targets({ OTEL_TRACES_SAMPLER: 'always_on', OTEL_EXPORTER_OTLP_HEADERS: 'a=b' })).toEqual([]);
  });

  it('the collector is called at /v1/traces, and Langfuse with its two keys as authorization', () => {
    const langfuse = { LANGFUSE_BASE_URL: 'https://lf.example/', LANGFUSE_PUBLIC_KEY: 'pk', LANGFUSE_SECRET_KEY: 'sk' };
    expect(
      targets({
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318',
        OTEL_EXPORTER_OTLP_HEADERS: 'a=b%20c, d = e',
        ...langfuse,
      }),
    ).toEqual([
      { url: 'http://c:4318/v1/traces', headers: { a: 'b c', d: 'e' } },
      { url: 'https://lf.example/api/public/otel/v1/traces', headers: { authorization: 'Basic cGs6c2s=' } },
    ]);
  });

  it('an address for traces is used as it is, with its own headers, and OTEL_SDK_DISABLED ends everything', () => {
    const both = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318',
      OTEL_EXPORTER_OTLP_HEADERS: 'a=b',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://t.example/otlp',
    };
    expect(targets(both)).toEqual([{ url: 'https://t.example/otlp', headers: { a: 'b' } }]);
    expect(targets({ ...both, OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x=y' })).toEqual([
      { url: 'https://t.example/otlp', headers: { x: 'y' } },
    ]);
    expect(targets({ ...both, OTEL_SDK_DISABLED: 'True' })).toEqual([]);
    expect(targets({ ...both, OTEL_SDK_DISABLED: 'yes' })).toHaveLength(1);
  });

  it('an incomplete Langfuse configuration is refused, and the error shows no key', () => {
    expect(() => targets({ LANGFUSE_SECRET_KEY: 'sk-lf-1' })).toThrow(/set all three or none/);
    expect(() => targets({ LANGFUSE_SECRET_KEY: 'sk-lf-1' })).not.toThrow(/sk-lf-1/);
  });

  it('only samplers that decide by the trace id are accepted', () => {
    expect(TracingConfig.safeParse({ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio' }).success).toBe(true);
    expect(TracingConfig.safeParse({ OTEL_TRACES_SAMPLER: 'jaeger_remote' }).success).toBe(false);
  });

  it('malformed pairs in a list of headers are ignored', () => {
    expect(readPairs('a=1,,=2,b,c=100%')).toEqual({ a: '1', c: '100%' });
  });
});
