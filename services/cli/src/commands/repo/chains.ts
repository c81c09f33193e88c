import { randomUUID } from 'node:crypto';
import { ChainResult } from '@signalbox/contracts/repository/chain-run';
import { ChainName, CHAINS, STEP_CLASSES } from '@signalbox/contracts/repository/chains';
import { MINUTE_MS } from '@signalbox/contracts/time';
import { getAgentBounds } from '@signalbox/contracts/governance/agent-bounds';
import { sayChainResult } from '@signalbox/analysis/reports/say-findings';
import { enqueueRun } from '@signalbox/platform/queue/enqueue-run';
import { createQueue } from '@signalbox/platform/queue/queue';
import { RunStore } from '@signalbox/store/turns/runs';
import { createProjectStore } from '@signalbox/store/deploy/projects';
import { createChainRunStore } from '@signalbox/store/repository/chain-runs';
import { UsageError, type CommandContext, type CommandResult } from '../../command.ts';
import { waitForRun } from '../../queries/run-search.ts';
import { formatList, formatTime } from '../../table.ts';

/** The job's deadline plus time for a worker to take it. */
const WAIT_MS = 32 * MINUTE_MS;

/** Runs the security scan, or the chain of --chain. */
export function runScan(context: CommandContext, project: string): Promise<CommandResult> {
  return runChain(context, context.arguments.chain ?? 'security_scan', project);
}

/** Runs a chain in the job service and waits for its end. The exit code is 1 when the chain or a step fails. */
export async function runChain(context: CommandContext, name: string, project: string): Promise<CommandResult> {
  const chain = ChainName.safeParse(name);
  if (!chain.success) throw new UsageError(`There is no chain '${name}'. There are: ${ChainName.options.join(', ')}.`);
  const pool = context.database();
  await createProjectStore(pool).get(project);
  const { ref = 'HEAD', dry: isDry } = context.arguments;
  const { REDIS_URL: redisUrl = '', REDIS_PREFIX: prefix } = context.config;
  const queue = createQueue({ redisUrl, prefix, log: context.log });
  const runId = `cli_${randomUUID()}`;
  try {
    const run = { job: 'repository.chain' as const, payload: { project, chain: chain.data, ref, isDry }, person: null };
    await enqueueRun(
      { runs: new RunStore(pool), queue, log: context.log },
      { ...run, runId, threadId: null, traceId: runId },
    );
  } finally {
    await queue.close();
  }
  const isOver = ({ status }: { readonly status: string }): boolean =>
    !['queued', 'running', 'cancelling'].includes(status);
  const ended = await waitForRun(pool, runId, isOver, WAIT_MS);
  const result = ChainResult.safeParse(ended?.result);
  if (!result.success) {
    const why = ended?.error ?? `it is ${ended?.status ?? 'gone'}`;
    return { ok: false, data: ended, lines: [`${runId} came to no result: ${why}. See 'runs show ${runId}'.`] };
  }
  const ok = result.data.status === 'completed' && result.data.left.length === 0;
  return { ok, data: result.data, lines: sayChainResult(result.data).replaceAll('**', '').split('\n') };
}

export async function listRuns(context: CommandContext, project: string): Promise<CommandResult> {
  const runs = await createChainRunStore(context.database()).list(project, context.arguments.limit);
  const rows = runs.map(({ runId, chain, status, commitId, counts, startedAt, problem }) => [
    runId,
    chain,
    status,
    commitId?.slice(0, 7) ?? '',
    formatTime(startedAt),
    counts
      ? `${counts.opened} new, ${counts.reopened} back, ${counts.fixed} fixed, ${counts.open} open`
      : (problem ?? ''),
  ]);
  const lines = formatList(['RUN', 'CHAIN', 'STATUS', 'COMMIT', 'SINCE', 'WHAT'], rows, 'No chain has run over it.');
  return { ok: true, data: runs, lines };
}

/** Lists the steps of all chains and the bounds of their classes. */
export function listAgents(): Promise<CommandResult> {
  const agents = Object.entries(STEP_CLASSES).map(([agent, agentClass]) => ({
    agent,
    agentClass,
    chains: ChainName.options.filter((chain) => CHAINS[chain].some((step) => step.name === agent)),
    bounds: getAgentBounds(agentClass),
  }));
  const rows = agents.map(({ agent, agentClass, chains, bounds }) => [
    agent,
    agentClass,
    bounds.canWrite && bounds.writePaths !== 'all' ? bounds.writePaths.join(' ') : 'nothing',
    chains.join(' '),
  ]);
  return Promise.resolve({
    ok: true,
    data: agents,
    lines: formatList(['AGENT', 'CLASS', 'WRITES', 'CHAINS'], rows, ''),
  });
}
