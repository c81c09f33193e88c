import { createCounter, createHistogram } from '@signalbox/platform/metrics';
import type { createMetrics } from '@signalbox/platform/probe';

export function createJobMetrics(registry: ReturnType<typeof createMetrics>) {
  const help = 'Executions of background jobs by outcome.';
  const executions = createCounter(registry, 'signalbox_jobs_total', help, ['job', 'outcome']);
  const duration = createHistogram(registry, 'signalbox_job_duration_seconds', 'How long background jobs took.', [
    'job',
  ]);
  return {
    /** Starts to measure one execution; the returned function records its outcome. */
    start: (job: string) => {
      const startedAt = performance.now();
      return (outcome: string): void => {
        executions.add({ job, outcome });
        duration.observe({ job }, performance.now() - startedAt);
      };
    },
  };
}

export type JobMetrics = ReturnType<typeof createJobMetrics>;
