import { readPoolRunCounts, type PoolRunCounts } from '../queries/run-search.ts';
import { readQueueDepths, type QueueDepth } from '../queries/queue-depths.ts';
import type { CommandContext, CommandResult } from '../command.ts';
import { formatAge, formatTable } from '../table.ts';

/** Shows waiting, running and failed jobs per pool, from Redis and from Postgres, which decides. Works without Redis. */
export async function runQueues(context: CommandContext): Promise<CommandResult> {
  const work = await readPoolRunCounts(context.database());
  const depths = await readQueueDepths(context.redis(), context.config.REDIS_PREFIX, new Date()).catch(() => null);
  const pools = work.map((of) => ({ ...of, queue: depths?.find(({ pool }) => pool === of.pool) ?? null }));
  const problems = pools.flatMap(listProblems);
  const lines = [
    ...formatTable(
      [
        'POOL',
        'PROCESSES',
        'WAITING',
        'RUNNING',
        'LATER',
        'DONE 24 H',
        'FAILED 24 H',
        'OLDEST WAITING',
        'LONGEST RUNNING',
      ],
      pools.map(({ queue, ...of }) => [
        of.pool,
        queue?.consumers ?? null,
        of.waiting,
        of.running,
        queue?.delayed ?? null,
        of.done,
        of.failed,
        formatAge(of.oldestWaitingMs),
        formatAge(of.oldestRunningMs),
      ]),
    ),
    ...(depths === null ? ['', 'Redis does not answer: what is in the queues themselves is not known.'] : []),
    ...(problems.length > 0 ? ['', ...problems] : []),
  ];
  return { ok: depths !== null && problems.length === 0, data: { pools, problems }, lines };
}

/** A longer wait is a problem, because processes take due jobs within a moment. */
const MAX_WAIT_MS = 60_000;

function listProblems({ queue, ...of }: PoolRunCounts & { readonly queue: QueueDepth | null }): readonly string[] {
  const waits = of.oldestWaitingMs !== null && of.oldestWaitingMs > MAX_WAIT_MS;
  return [
    ...(queue?.consumers === 0 ? [`${of.pool}: no process takes its jobs.`] : []),
    ...(waits
      ? [`${of.pool}: something has been waiting for ${formatAge(of.oldestWaitingMs)}; see \`runs --status queued\`.`]
      : []),
    ...(queue !== null && queue.failed > 0
      ? [`${of.pool}: the queue keeps ${queue.failed} failed jobs, which it should not.`]
      : []),
  ];
}
