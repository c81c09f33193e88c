import { z } from 'zod';
import { CHAINS } from '@signalbox/contracts/repository/chains';
import { SHOWN_FINDINGS } from '@signalbox/contracts/repository/chain-run';
import type { JobPayload, JobResult } from '@signalbox/contracts/operations/jobs';
import { AppError } from '@signalbox/contracts/errors';
import { SECOND_MS } from '@signalbox/contracts/time';
import { sayChain, sayChainResult } from '@signalbox/messages/rules/say-findings';
import { explain, say } from '@signalbox/messages/say';
import type { createProjects } from '@signalbox/store/deploy/projects';
import type { ChainRun } from '@signalbox/store/repository/chain-runs';
import { repositoryOf } from '../deploy/source/repository-login.ts';
import type { Sources } from '../deploy/source/sources.ts';
import { AGENTS } from '../repository/agents/agents.ts';
import { runChain } from '../repository/chain.ts';
import { sayFacts } from '../repository/facts.ts';
import { dryFindings, saidBy } from '../repository/harness.ts';
import type { ChainParts, OpenRun } from '../repository/run-parts.ts';
import type { HandlerOf, JobContext } from '../runner/handlers.ts';

/** What the agent for dependencies says when nobody could be asked for published weaknesses: that is never “none”. */
const Unlooked = z.object({ summaries: z.object({ advisories: z.object({ looked: z.literal(false) }) }) });

interface Parts extends ChainParts {
  readonly sources: Pick<Sources, 'fetch' | 'findMirror'>;
  readonly projects: Pick<ReturnType<typeof createProjects>, 'get'>;
}

/** A chain that is done sooner says only what it came to. */
const QUIET_MS = 4 * SECOND_MS;

/** Runs a chain of agents over the repository of a project. That it cannot be read is an answer, not a failure. */
export function createRepositoryChain(parts: Parts): HandlerOf<'repository.chain'> {
  return {
    title: () => say('jobs.repositoryChain'),
    run: async (payload, context) => {
      const { runId } = context;
      const begun = await parts.runs.begin({ ...payload, runId, userKey: context.owner?.userKey ?? null });
      const before = await parts.runs.before(begun);
      const run = begun.status === 'running' ? await work(parts, begun, before, context) : begun;
      return toResult(parts, payload, run, before);
    },
    say: sayChainResult,
  };
}

async function work(parts: Parts, begun: ChainRun, before: ChainRun | null, context: JobContext): Promise<ChainRun> {
  const { runId, project, chain } = begun;
  const { signal, owner } = context;
  let started: OpenRun['started'] = null;
  try {
    const repository = repositoryOf(await parts.projects.get(project), context.openSecret);
    if (repository === null) throw new AppError('REPOSITORY_MISSING', { project });
    // It starts while the mirror is brought up to date.
    const known = parts.sources.findMirror(repository);
    if (known !== null) started = parts.startScan({ dir: known, path: parts.path }, signal);
    // An attempt goes on with the commit of the first, wherever the branch is by now.
    const ref = begun.commitId ?? begun.ref;
    const { isReplaced, ...fetched } = await parts.sources.fetch(repository, ref, signal);
    const run = { ...begun, commitId: await parts.runs.fix(runId, fetched.commit) };
    const actor = owner?.userKey ?? 'system';
    const begunAt = performance.now();
    const scans = { started: isReplaced ? null : started };
    const open = { run, chain, ...fetched, ...scans, actor, threadId: owner?.threadId ?? null, before, signal };
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
    started?.close();
  }
}

async function toResult(
  parts: Parts,
  payload: JobPayload<'repository.chain'>,
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
    unseen: steps.some(({ output }) => Unlooked.safeParse(saidBy(output)).success)
      ? [say('findings.noAdvisories')]
      : [],
  };
}
