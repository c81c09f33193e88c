import { isTransient } from './pool.ts';

/** Maximum depth of causes that are read; also ends a cycle of causes. */
const MAX_CAUSES = 10;

/** True when an error or one of its causes is a failure of Postgres, Redis or the network. No message is to blame for such a failure. */
export function isInfrastructureError(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > MAX_CAUSES) return false;
  if (isTransient(error) || isRedisAway(error)) return true;
  const others: readonly unknown[] = error instanceof AggregateError ? error.errors : [];
  return [error.cause, ...others].some((cause) => isInfrastructureError(cause, depth + 1));
}

/** ioredis errors have no code. When Redis is loading, full or demoted, the error message begins with a known word. */
function isRedisAway(error: Error): boolean {
  if (error.name === 'MaxRetriesPerRequestError') return true;
  if (error.name === 'ReplyError')
    return /^(LOADING|READONLY|MASTERDOWN|OOM|MISCONF|CLUSTERDOWN|TRYAGAIN)\b/.test(error.message);
  return /^(Connection is closed|Command timed out|Stream isn't writeable)/.test(error.message);
}
