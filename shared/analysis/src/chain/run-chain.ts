import { CHAINS, resolveInput, type ChainStep } from '@signalbox/contracts/repository/chains';
import type { ListedFinding, AnalysisStep } from '../steps/step.ts';
import type { ChainDeps, ChainRun, RunHandle, StepEnd } from './chain-deps.ts';
import { ChainScanner } from './chain-scans.ts';
import { readOutput, readDryFindings, runStep } from './run-step.ts';

/** A callback for the progress after each step. */
type OnStep = (step: ChainStep, end: StepEnd, place: { readonly done: number; readonly of: number }) => Promise<void>;
type Steps = Readonly<Partial<Record<string, AnalysisStep>>>;

/**
 * Runs the steps of a chain in order and ends the run. Skips steps that ended in an earlier attempt. A step that does not complete ends
 * the chain, unless the chain continues on failure.
 */
export async function runChain(deps: ChainDeps, handle: RunHandle, known: Steps, onStep: OnStep): Promise<ChainRun> {
  const analyzers = CHAINS[handle.chain].flatMap(({ name }) => known[name]?.analyzers ?? []);
  const scans = new ChainScanner(deps, handle, analyzers);
  try {
    return await runSteps(deps, { ...handle, scans }, known, onStep);
  } finally {
    scans.close();
  }
}

async function runSteps(
  deps: ChainDeps,
  handle: RunHandle & { readonly scans: ChainScanner },
  known: Steps,
  onStep: OnStep,
): Promise<ChainRun> {
  const { records } = deps;
  const steps: readonly ChainStep[] = CHAINS[handle.chain];
  const { runId, project, isDry } = handle.run;
  const ended = new Map((await records.listSteps(runId)).map((one) => [one.step, one]));
  const state: Record<string, unknown> = {};
  const analyzers: string[] = [];
  const found = new Map<string, ListedFinding>();
  for (const [index, step] of steps.entries()) {
    handle.signal.throwIfAborted();
    analyzers.push(...(known[step.name]?.analyzers ?? []));
    const recorded = ended.get(index);
    const isOver = recorded !== undefined && recorded.status !== 'running';
    const attempt = isOver ? 0 : await records.beginStep(runId, { step: index, agent: step.name });
    const end: StepEnd = isOver
      ? { ...recorded, status: recorded.status } // The check above excludes `running`
      : await runStep(deps, handle, known, {
          step: index,
          name: step.name,
          attempt,
          input: resolveInput(step.input, state),
          analyzers,
          foundBefore: [...found.values()],
        });
    if (end.status === 'completed') state[step.output] = readOutput(end.output);
    // Counts a finding once when two steps report the same one.
    if (isDry) for (const one of readDryFindings(end.output)) found.set(one.fingerprint, one);
    if (!isOver) await onStep(step, end, { done: index + 1, of: steps.length });
    if (end.status !== 'completed' && !step.continueOnFailure)
      return records.endRun(runId, { status: end.status, problem: `${step.name}: ${end.problem ?? ''}`, counts: null });
  }
  const counts = isDry ? null : await records.countChanges(project, runId);
  return records.endRun(runId, { status: 'completed', problem: null, counts });
}
