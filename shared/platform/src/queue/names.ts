/** Keys of all queues. The braces are a Redis Cluster hash tag: the scripts of BullMQ touch several keys at once. */
export function queuePrefix(prefix: string): string {
  return `${prefix}{jobs}`;
}

/** BullMQ forbids colons and plain numbers as job ids; this keeps different run ids different. */
export function jobIdOf(runId: string): string {
  return `run-${encodeURIComponent(runId)}`;
}

/** The one execution of a scheduled job that may wait or run. */
export function tickIdOf(job: string): string {
  return `tick-${job}`;
}

/** The run that a job stands for; null for an execution that a schedule started. */
export function runIdOf(jobId: string | undefined): string | null {
  return jobId?.startsWith('run-') ? decodeURIComponent(jobId.slice('run-'.length)) : null;
}
