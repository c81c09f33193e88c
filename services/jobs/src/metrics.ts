import type { JobName } from '@signalbox/contracts/operations/jobs';
import { createCounter, createHistogram, listSeries } from '@signalbox/platform/metrics';
import type { createMetrics } from '@signalbox/platform/probe';

/** How an execution ends: see RunOutcome, and the reasons for which one is stopped. */
const OUTCOMES = ['done', 'failed', 'cancelled', 'deadline', 'stalled', 'lost', 'stopping'] as const;

/** Creates the metrics of background jobs. `jobs`: those that this process runs. */
export function createJobMetrics(registry: ReturnType<typeof createMetrics>, jobs: readonly JobName[] = []) {
  const help = 'Executions of background jobs by outcome.';
  const executions = createCounter(registry, 'signalbox_jobs_total', help, ['job', 'outcome'], {
    series: listSeries({ job: jobs, outcome: OUTCOMES }),
  });
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
