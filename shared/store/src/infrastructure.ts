import { isTransient } from './pool.ts';

/** Deeper than any chain of causes that is made here; a cause that leads back to itself ends too. */
const MAX_CAUSES = 10;

/**
 * Whether it was Postgres, Redis or the way to them that failed, as far as an error or any of its causes says: then no message is to
 * blame, however often it happens.
 */
export function isInfrastructure(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > MAX_CAUSES) return false;
  if (isTransient(error) || isRedisAway(error)) return true;
  const others: readonly unknown[] = error instanceof AggregateError ? error.errors : [];
  return [error.cause, ...others].some((cause) => isInfrastructure(cause, depth + 1));
}

/** ioredis gives its errors no code; a server that loads, is full or was demoted answers with the first word of its message. */
function isRedisAway(error: Error): boolean {
  if (error.name === 'MaxRetriesPerRequestError') return true;
  if (error.name === 'ReplyError')
    return /^(LOADING|READONLY|MASTERDOWN|OOM|MISCONF|CLUSTERDOWN|TRYAGAIN)\b/.test(error.message);
  return /^(Connection is closed|Command timed out|Stream isn't writeable)/.test(error.message);
}
