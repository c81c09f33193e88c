import { readPoolWork, type PoolWork } from '../queries/run-search.ts';
import { readQueueDepths, type QueueDepth } from '../queries/queue-depths.ts';
import type { CommandContext, Report } from '../command.ts';
import { formatAge, formatTable } from '../table.ts';

/**
 * What waits, runs and failed in each pool: the queue in Redis, and Postgres, which is the truth about it. A Redis that does not
 * answer is said, and Postgres is shown.
 */
export async function runQueues(context: CommandContext): Promise<Report> {
  const work = await readPoolWork(context.database());
  const depths = await readQueueDepths(context.redis(), context.config.REDIS_PREFIX, new Date()).catch(() => null);
  const pools = work.map((of) => ({ ...of, queue: depths?.find(({ pool }) => pool === of.pool) ?? null }));
  const problems = pools.flatMap(problemsOf);
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

/** A process of the pool takes a due job within a moment. */
const WAITS_LONG_MS = 60_000;

function problemsOf({ queue, ...of }: PoolWork & { readonly queue: QueueDepth | null }): readonly string[] {
  const waits = of.oldestWaitingMs !== null && of.oldestWaitingMs > WAITS_LONG_MS;
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
