/** Returns the key prefix of all queues. The braces are a Redis Cluster hash tag, because BullMQ's scripts touch several keys at once. */
export function getQueuePrefix(prefix: string): string {
  return `${prefix}{jobs}`;
}

/** Returns the job id of a run. BullMQ forbids colons and plain numbers in job ids; the encoding keeps different runs apart. */
export function toJobId(runId: string): string {
  return `run-${encodeURIComponent(runId)}`;
}

/** Returns the job id of a scheduled job: the same for each execution, so that at most one waits or runs. */
export function toScheduledJobId(job: string): string {
  return `tick-${job}`;
}

/** Returns the run id of a job id; null for a scheduled execution. */
export function toRunId(jobId: string | undefined): string | null {
  return jobId?.startsWith('run-') ? decodeURIComponent(jobId.slice('run-'.length)) : null;
}
