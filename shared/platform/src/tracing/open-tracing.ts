import type { Log } from '../log.ts';
import { listTraceTargets, type TracingConfig } from './settings.ts';
import { NO_TRACING, type Tracing } from './tracing.ts';

/**
 * Opens the tracing of a service; loads no library when no receiver is set. A slow or absent receiver loses spans,
 * which is logged once, and delays nothing: `close` waits for 1.5 s at most. Throws CONFIG_INVALID.
 */
export async function openTracing(config: TracingConfig, service: string, log: Log): Promise<Tracing> {
  const targets = listTraceTargets(config);
  if (targets.length === 0) return NO_TRACING;
  const { createOtelTracing } = await import('./otel.ts');
  return createOtelTracing({ targets, service, config, log });
}
