import { z } from 'zod';
import { CHAINS } from '@signalbox/contracts/repository/chains';
import { SHOWN_FINDINGS, type ChainFetch } from '@signalbox/contracts/repository/chain-run';
import type { JobPayload, JobResult } from '@signalbox/contracts/operations/jobs';
import { findUnread } from '@signalbox/contracts/repository/unread';
import { AppError } from '@signalbox/contracts/errors';
import { SECOND_MS } from '@signalbox/contracts/time';
import { sayChain, sayChainResult, sayUnread } from '@signalbox/messages/rules/say-findings';
import { explain, say } from '@signalbox/messages/say';
import type { ChainRun } from '@signalbox/store/repository/chain-runs';
import { AGENTS } from '../repository/agents/agents.ts';
import { runChain } from '../repository/chain.ts';
import { sayFacts } from '../repository/facts.ts';
import { dryFindings, saidBy } from '../repository/harness.ts';
import type { ChainParts } from '../repository/run-parts.ts';
import type { HandlerOf, JobContext } from '../runner/handlers.ts';

/** What the agent for dependencies says when nobody could be asked for published weaknesses: that is never “none”. */
const Unlooked = z.object({ summaries: z.object({ advisories: z.object({ looked: z.literal(false) }) }) });

/** A chain that is done sooner says only what it came to. */
const QUIET_MS = 4 * SECOND_MS;

/** Runs a chain of agents over what was fetched of the repository of a project. That it cannot be read is an answer, not a failure. */
export function createRepositoryChain(parts: ChainParts): HandlerOf<'repository.chain'> {
  return {
    title: () => say('jobs.repositoryChain'),
    run: async ({ fetched, ...payload }, context) => {
      const { runId } = context;
      if (!fetched) throw new Error('nothing was fetched for this run');
      const begun = await parts.runs.begin({ ...payload, runId, userKey: context.owner?.userKey ?? null });
      const before = await parts.runs.before(begun);
      const run = begun.status === 'running' ? await work(parts, { fetched, begun, before }, context) : begun;
      return toResult(parts, payload, run, before);
    },
    say: sayChainResult,
  };
}

interface Work {
  readonly fetched: ChainFetch;
  readonly begun: ChainRun;
  readonly before: ChainRun | null;
}

async function work(parts: ChainParts, { fetched, begun, before }: Work, context: JobContext): Promise<ChainRun> {
  const { runId, project, chain } = begun;
  const { signal, owner } = context;
  const { mirror, folder, problem } = fetched;
  if (mirror === null || fetched.commit === null)
    return parts.runs.end(runId, { status: 'stopped', problem, counts: null });
  // It starts while the database is asked.
  const started = parts.startScan({ dir: mirror, path: parts.path }, signal);
  try {
    // An attempt goes on with the commit of the first, wherever the branch is by now.
    const commit = await parts.runs.fix(runId, fetched.commit);
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
    return await runChain(parts, open, AGENTS, async (_, __, { done, of }) => {
      await context.progress(done, of);
      if (done < of && performance.now() - begunAt > QUIET_MS)
        await context.tell(say('findings.running', { chain: sayChain(chain), project, done, of }), {
          slot: 'progress',
        });
    });
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof AppError)) throw error;
    return await parts.runs.end(runId, { status: 'stopped', problem: explain(error).slice(0, 2_000), counts: null });
  } finally {
    started.close();
  }
}

async function toResult(
  parts: ChainParts,
  payload: Omit<JobPayload<'repository.chain'>, 'fetched'>,
  run: ChainRun,
  before: ChainRun | null,
): Promise<JobResult<'repository.chain'>> {
  const { project, chain } = payload;
  const steps = await parts.runs.steps(run.runId);
  const analyzers = new Set(CHAINS[chain].flatMap(({ agent }) => AGENTS[agent]?.analyzers ?? []));
  const found = run.isDry
    ? [...new Map(steps.flatMap(({ output }) => dryFindings(output)).map((one) => [one.fingerprint, one])).values()]
    : await parts.findings.list({ project, status: 'open', analyzers: [...analyzers] }, SHOWN_FINDINGS);
  const total = run.isDry ? found.length : await parts.findings.count({ project, analyzers: [...analyzers] });
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
    facts: sayFacts(chain, new Map(steps.map(({ agent, output }) => [agent, saidBy(output)]))),
    total,
    top: found.slice(0, SHOWN_FINDINGS).map(({ findingId, rule, severity, path, line, evidence, values }) => ({
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
    unseen: [
      ...findUnread(steps.map(({ output }) => saidBy(output))).map(sayUnread),
      ...(steps.some(({ output }) => Unlooked.safeParse(saidBy(output)).success) ? [say('findings.noAdvisories')] : []),
    ],
  };
}
