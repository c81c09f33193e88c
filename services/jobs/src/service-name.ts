import type { JobPool } from '@signalbox/contracts/operations/jobs';
import type { ServiceWithLogin } from '@signalbox/store/migrations/service-rights';

/** Whose rights a job service has at the database: those of its pool, or of all services when it runs several pools. */
export function databaseRoleOf(pools: readonly JobPool[]): { readonly as?: ServiceWithLogin } {
  const [pool, ...others] = pools;
  return pool === undefined || others.length > 0 ? {} : { as: pool };
}

/** What a job service is called in logs, metrics and at the database: `jobs-deploy`, or `jobs` when it runs several pools. */
export function serviceName(pools: readonly JobPool[]): string {
  return pools.length === 1 ? `jobs-${pools[0]}` : 'jobs';
}
