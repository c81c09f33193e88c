import type { PoolHandlers } from '../handlers.ts';

/** The jobs that reach servers. What they need is opened here, once per process. */
export function createOperationsHandlers(): PoolHandlers<'deploy'> {
  return {};
}
