import type { Log } from '../log.ts';
import { traceTargets, type TracingConfig } from './settings.ts';
import { NO_TRACING, type Tracing } from './tracing.ts';

/**
 * Opens the spans of a service. Loads nothing when no receiver is set. A receiver that is away or slow loses spans, which the log says once,
 * and holds nothing up: `close` waits for a second and a half at most. Throws CONFIG_INVALID.
 */
export async function openTracing(config: TracingConfig, service: string, log: Log): Promise<Tracing> {
  const targets = traceTargets(config);
  if (targets.length === 0) return NO_TRACING;
  const { createOtelTracing } = await import('./otel.ts');
  return createOtelTracing({ targets, service, config, log });
}
