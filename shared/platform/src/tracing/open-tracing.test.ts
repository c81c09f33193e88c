import { execFileSync } from 'node:child_process';
import { newTraceId } from '@signalbox/contracts/ids';
import { expect, it } from 'vitest';
import { createLog } from '../log.ts';
import { openTracing } from './open-tracing.ts';
import { toOtelSpanId, toOtelTraceId } from './trace-context.ts';
import { TracingConfig } from './settings.ts';
import { NO_TRACING } from './tracing.ts';

const LOG = createLog('test', 'silent');

it('tracing does nothing when no receiver of traces is configured', async () => {
  expect(await openTracing(TracingConfig.parse({}), 'worker', LOG)).toBe(NO_TRACING);
});

it('OpenTelemetry is loaded only when a receiver of traces is configured', () => {
  const program = `
    import { registerHooks } from 'node:module';
    const { openTracing } = await import(${JSON.stringify(import.meta.resolve('./open-tracing.ts'))});
    const { TracingConfig } = await import(${JSON.stringify(import.meta.resolve('./settings.ts'))});
    const config = (environment) => TracingConfig.parse(environment);
    let isLoaded = false;
    registerHooks({ resolve: (name, context, next) => ((isLoaded ||= name.startsWith('@opentelemetry/')), next(name, context)) });
    await openTracing(config({}), 'worker', {});
    const before = isLoaded;
    await (await openTracing(config({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }), 'worker', {})).close();
    console.log(JSON.stringify([before, isLoaded]));`;
  const out = execFileSync(process.execPath, [
    '--import',
    'tsx',
    '--conditions=source',
    '--input-type=module',
    '-e',
    program,
  ]);
  expect(JSON.parse(out.toString())).toEqual([false, true]);
});

it('the same key gives the same trace and span ids in every process, and another key gives others', () => {
  const ours = newTraceId();
  expect(`trace_${toOtelTraceId(ours)}`).toBe(ours);
  expect(toOtelTraceId('trc_1')).toMatch(/^[0-9a-f]{32}$/);
  expect(toOtelSpanId('trc_1', 'root')).toMatch(/^[0-9a-f]{16}$/);
  expect(toOtelTraceId('trc_1')).toBe(toOtelTraceId('trc_1'));
  expect(
    new Set([toOtelSpanId('trc_1', 'root'), toOtelSpanId('trc_2', 'root'), toOtelSpanId('trc_1', 'call:act_1')]).size,
  ).toBe(3);
});
