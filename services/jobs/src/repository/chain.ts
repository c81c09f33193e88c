import { CHAINS, REPOSITORY_AGENTS, resolveInput, type ChainStep } from '@signalbox/contracts/repository/chains';
import type { ChainRun } from '@signalbox/store/repository/chain-runs';
import type { Listed, RepositoryAgent } from './agents/agent.ts';
import { ChainScans } from './chain-scans.ts';
import { dryFindings, runAgent, saidBy, type StepEnd } from './harness.ts';
import type { ChainParts, RunHandle } from './run-parts.ts';

/** Told after each step, for progress. */
export type OnStep = (
  step: ChainStep,
  end: StepEnd,
  place: { readonly done: number; readonly of: number },
) => Promise<void>;

/**
 * Runs the steps of a chain one after the other, and ends the run. Steps that ended in an earlier attempt are not run again. A step that
 * does not complete ends the chain, unless the chain says that it goes on.
 */
export async function runChain(
  parts: ChainParts,
  open: RunHandle,
  agents: Readonly<Partial<Record<string, RepositoryAgent>>>,
  onStep: OnStep,
): Promise<ChainRun> {
  const all = CHAINS[open.chain].flatMap(({ agent }) => agents[agent]?.analyzers ?? []);
  const scans = new ChainScans(parts, open, all);
  try {
    return await runSteps(parts, { ...open, scans }, agents, onStep);
  } finally {
    scans.close();
  }
}

async function runSteps(
  parts: ChainParts,
  open: RunHandle & { readonly scans: ChainScans },
  agents: Readonly<Partial<Record<string, RepositoryAgent>>>,
  onStep: OnStep,
): Promise<ChainRun> {
  const steps: readonly ChainStep[] = CHAINS[open.chain];
  const { runId, project, isDry } = open.run;
  const ended = new Map((await parts.runs.steps(runId)).map((one) => [one.step, one]));
  const state: Record<string, unknown> = {};
  const analyzers: string[] = [];
  const found = new Map<string, Listed>();
  for (const [place, step] of steps.entries()) {
    open.signal.throwIfAborted();
    analyzers.push(...(agents[step.agent]?.analyzers ?? []));
    const known = ended.get(place);
    const isOver = known !== undefined && known.status !== 'running';
    const agentClass = REPOSITORY_AGENTS[step.agent];
    const begun = isOver ? 0 : await parts.runs.beginStep(runId, { step: place, agent: step.agent, agentClass });
    const end: StepEnd = isOver
      ? { ...known, status: known.status } // it is over
      : await runAgent(parts, open, agents, {
          step: place,
          agent: step.agent,
          begun,
          input: resolveInput(step.input, state),
          analyzers,
          foundBefore: [...found.values()],
        });
    if (end.status === 'completed') state[step.output] = saidBy(end.output);
    // Two agents may look for the same; each finding is one.
    if (isDry) for (const one of dryFindings(end.output)) found.set(one.fingerprint, one);
    if (!isOver) await onStep(step, end, { done: place + 1, of: steps.length });
    if (end.status !== 'completed' && !step.continueOnFailure)
      return parts.runs.end(runId, {
        status: end.status,
        problem: `${step.agent}: ${end.problem ?? ''}`,
        counts: null,
      });
  }
  const counts = isDry ? null : await parts.findings.changedBy(project, runId);
  return parts.runs.end(runId, { status: 'completed', problem: null, counts });
}
