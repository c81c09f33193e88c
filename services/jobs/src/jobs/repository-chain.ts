import type { ChainDeps, ChainRun } from '@signalbox/analysis/chain/chain-deps';
import { runChain } from '@signalbox/analysis/chain/run-chain';
import { FIRST_ANALYZERS, orderForChain } from '@signalbox/analysis/reports/chain-order';
import { readOutput, readDryFindings } from '@signalbox/analysis/chain/run-step';
import { sayMeasurements } from '@signalbox/analysis/steps/facts';
import { STEPS } from '@signalbox/analysis/steps/steps';
import type { Pool } from '@signalbox/store/pool';
import { createChainRunStore } from '@signalbox/store/repository/chain-runs';
import { createFindingStore } from '@signalbox/store/repository/findings';
import { createChainStore } from './repository-records.ts';
import { CHAINS, type ChainName } from '@signalbox/contracts/repository/chains';
import { MAX_SHOWN_FINDINGS, type ChainFetchResult } from '@signalbox/contracts/repository/chain-run';
import type { JobPayload, JobResult } from '@signalbox/contracts/operations/jobs';
import { findUnread } from '@signalbox/contracts/repository/unread';
import { AppError } from '@signalbox/contracts/errors';
import { SECOND_MS } from '@signalbox/contracts/time';
import { sayChain, sayChainResult, sayUnread } from '@signalbox/analysis/reports/say-findings';
import { explainError, say } from '@signalbox/messages/say';
import type { HandlerOf, JobContext } from '../runner/handlers.ts';

/** A chain that takes less than this time reports no progress. */
const QUIET_MS = 4 * SECOND_MS;

/** Runs a chain of analysis steps over a project's fetched repository. An unreadable repository is a result, not a failure. */
export function createRepositoryChainHandler(
  pool: Pool,
  options: Omit<ChainDeps, 'records'>,
): HandlerOf<'repository.chain'> {
  const deps: Deps = {
    ...options,
    records: createChainStore(pool),
    runs: createChainRunStore(pool),
    findings: createFindingStore(pool),
  };
  return {
    title: () => say('jobs.repositoryChain'),
    run: async ({ fetched, ...payload }, context) => {
      const { runId } = context;
      if (!fetched) throw new Error('nothing was fetched for this run');
      const begun = await deps.runs.begin({ ...payload, runId, userKey: context.owner?.userKey ?? null });
      const before = await deps.runs.before(begun);
      const run = begun.status === 'running' ? await work(deps, { fetched, begun, before }, context) : begun;
      return toResult(deps, payload, run, before);
    },
    say: sayChainResult,
  };
}

interface Deps extends ChainDeps {
  readonly runs: ReturnType<typeof createChainRunStore>;
  readonly findings: ReturnType<typeof createFindingStore>;
}

interface Work {
  readonly fetched: ChainFetchResult;
  readonly begun: ChainRun;
  readonly before: ChainRun | null;
}

async function work(deps: Deps, { fetched, begun, before }: Work, context: JobContext): Promise<ChainRun> {
  const { runId, project, chain } = begun;
  const { signal, owner } = context;
  const { mirror, folder, problem } = fetched;
  if (mirror === null || fetched.commit === null)
    return deps.runs.end(runId, { status: 'stopped', problem, counts: null });
  // The scan process starts while the database is queried.
  const started = deps.startScan({ dir: mirror, path: deps.path }, signal);
  try {
    // A retry keeps the commit of the first attempt, wherever the branch is now.
    const commit = await deps.runs.fix(runId, fetched.commit);
    const run = { ...begun, commitId: commit };
    const actor = owner?.userKey ?? 'system';
    const begunAt = performance.now();
    const open = {
      run,
      chain,
      mirror,
      commit,
      folder,
      started,
      actor,
      threadId: owner?.threadId ?? null,
      before,
      signal,
    };
    return await runChain(deps, open, STEPS, async (_, __, { done, of }) => {
      await context.progress(done, of);
      if (done < of && performance.now() - begunAt > QUIET_MS)
        await context.tell(say('findings.running', { chain: sayChain(chain), project, done, of }), {
          slot: 'progress',
        });
    });
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof AppError)) throw error;
    return await deps.runs.end(runId, {
      status: 'stopped',
      problem: explainError(error).slice(0, 2_000),
      counts: null,
    });
  } finally {
    started.close();
  }
}

async function toResult(
  deps: Deps,
  payload: Omit<JobPayload<'repository.chain'>, 'fetched'>,
  run: ChainRun,
  before: ChainRun | null,
): Promise<JobResult<'repository.chain'>> {
  const { project, chain } = payload;
  const steps = await deps.runs.steps(run.runId);
  const analyzers = new Set(CHAINS[chain].flatMap(({ name }) => STEPS[name]?.analyzers ?? []));
  const found = run.isDry
    ? [...new Map(steps.flatMap(({ output }) => readDryFindings(output)).map((one) => [one.fingerprint, one])).values()]
    : await listTop(deps, project, chain, [...analyzers]);
  const total = run.isDry ? found.length : await deps.findings.count({ project, analyzers: [...analyzers] });
  return {
    runId: run.runId,
    project,
    chain,
    status: run.status === 'running' ? 'failed' : run.status,
    commit: run.commitId,
    isDry: run.isDry,
    isFirst: before === null,
    counts: run.counts,
    problem: run.problem?.slice(0, 2_000) ?? null,
    facts: sayMeasurements(chain, new Map(steps.map(({ agent, output }) => [agent, readOutput(output)]))),
    total,
    top: orderForChain(chain, found)
      .slice(0, MAX_SHOWN_FINDINGS)
      .map(({ findingId, rule, severity, path, line, evidence, values }) => ({
        findingId,
        rule,
        severity,
        path,
        line,
        evidence,
        values,
      })),
    left: steps
      .filter(({ status }) => status === 'failed' || status === 'stopped')
      .map(({ agent, problem }) => ({ agent, problem: (problem ?? '').slice(0, 2_000) })),
    unseen: findUnread(steps.map(({ output }) => readOutput(output))).map(sayUnread),
  };
}

/** Lists the most severe findings, first those that the chain is about. */
async function listTop({ findings }: Deps, project: string, chain: ChainName, analyzers: readonly string[]) {
  const first = FIRST_ANALYZERS[chain] ?? [];
  const lists = [first, analyzers.filter((one) => !first.includes(one))].map((names) =>
    findings.list({ project, status: 'open', analyzers: names }, MAX_SHOWN_FINDINGS),
  );
  return (await Promise.all(lists)).flat();
}
