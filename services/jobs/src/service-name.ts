import type { JobPool } from '@signalbox/shared/contracts/jobs';

/** What a job service is called in logs, metrics and at the database: `jobs-deploy`, or `jobs` when it runs several pools. */
export function serviceName(pools: readonly JobPool[]): string {
  return pools.length === 1 ? `jobs-${pools[0]}` : 'jobs';
}
