import { SECOND_MS } from '@signalbox/shared/time';
import { Counter, Histogram, type Registry } from 'prom-client';

export interface JobMetrics {
  /** Begins to measure one execution; call the result with what came of it. */
  start(job: string): (outcome: string) => void;
}

/** Seconds, as Prometheus wants: from a look at an empty table to the longest deadline. */
const DURATION_BUCKETS = [0.01, 0.05, 0.25, 1, 5, 30, 120, 600];

/** Counts jobs by name and outcome, and how long they took. */
export function createJobMetrics(registry: Registry): JobMetrics {
  const executions = new Counter({
    name: 'signalbox_jobs_total',
    help: 'Executions of background jobs by outcome',
    labelNames: ['job', 'outcome'],
    registers: [registry],
  });
  const duration = new Histogram({
    name: 'signalbox_job_duration_seconds',
    help: 'How long executions of background jobs took',
    labelNames: ['job'],
    buckets: DURATION_BUCKETS,
    registers: [registry],
  });
  return {
    start: (job) => {
      const startedAt = performance.now();
      return (outcome) => {
        executions.inc({ job, outcome });
        duration.observe({ job }, (performance.now() - startedAt) / SECOND_MS);
      };
    },
  };
}
