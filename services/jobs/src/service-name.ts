import type { JobPool } from '@signalbox/contracts/operations/jobs';
import type { ServiceWithLogin } from '@signalbox/store/migrations/service-rights';

/** Selects the database role of a job service: the role of its pool, or of all services when it runs several pools. */
export function selectDatabaseRole(pools: readonly JobPool[]): { readonly as?: ServiceWithLogin } {
  const [pool, ...others] = pools;
  return pool === undefined || others.length > 0 ? {} : { as: pool };
}

/** Names a job service in logs, metrics and the database: `jobs-deploy`, or `jobs` when it runs several pools. */
export function nameJobService(pools: readonly JobPool[]): string {
  return pools.length === 1 ? `jobs-${pools[0]}` : 'jobs';
}
