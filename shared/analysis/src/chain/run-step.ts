import { z } from 'zod';
import { getAgentBounds } from '@signalbox/contracts/governance/agent-bounds';
import { STEP_ATTEMPTS, STEP_CLASSES, type StepName } from '@signalbox/contracts/repository/chains';
import { ShownFinding } from '@signalbox/contracts/repository/chain-run';
import { AppError, toAppError } from '@signalbox/contracts/errors';
import type { ListedFinding, AnalysisStep } from '../steps/step.ts';
import type { ChainDeps, RunHandle, StepEnd, StepResults } from './chain-deps.ts';
import type { ChainScanner } from './chain-scans.ts';
import { identifyFindings, type IdentifiedFinding } from './identify-findings.ts';
import { StepFiles } from './step-files.ts';

/** Maximum number of findings that each step of a dry run stores. */
const MAX_DRY_FINDINGS = 2_000;
const MAX_LISTED_FINDINGS = 10_000;

interface StepRequest {
  readonly step: number;
  readonly name: StepName;
  readonly attempt: number;
  readonly input: Readonly<Record<string, unknown>>;
  readonly analyzers: readonly string[];
  /** Findings of earlier steps, in a dry run. */
  readonly foundBefore: readonly ListedFinding[];
}

/**
 * Runs one step of a chain with the rights of its class, checks its output, and stores end and results in one transaction. A step that
 * has not ended can run again. A dry run stores only the output.
 */
export async function runStep(
  deps: ChainDeps,
  handle: RunHandle & { readonly scans: ChainScanner },
  known: Readonly<Partial<Record<string, AnalysisStep>>>,
  request: StepRequest,
): Promise<StepEnd> {
  const finish = async (end: StepEnd, left: StepResults | null = null): Promise<StepEnd> => {
    await deps.records.endStep(handle, request, end, left);
    return end;
  };
  const checked = check(known, request);
  if ('problem' in checked) return finish({ status: 'stopped', output: null, problem: checked.problem });
  const { step, input } = checked;
  const fail = (problem: string): Promise<StepEnd> => finish({ status: 'failed', output: null, problem });
  // The step may have killed its process at each attempt; later steps must still run.
  if (request.attempt > STEP_ATTEMPTS) return fail(`it was begun ${STEP_ATTEMPTS} times and never came to its end`);
  const files = new StepFiles(deps, handle, { name: request.name, stepClass: STEP_CLASSES[request.name] });
  const { project, runId, isDry } = handle.run;
  const all = Object.values(known).flatMap((one) => one?.analyzers ?? []);
  try {
    const scanned = step.analyzers.length === 0 ? null : await handle.scans.scan(step.analyzers);
    const conclusions = scanned?.conclusions ?? {};
    const found = identifyFindings(Object.values(conclusions).flatMap((one) => one.found));
    const output = await step.run(input, {
      project,
      chain: handle.chain,
      runId,
      commit: handle.commit,
      before: handle.before,
      now: () => new Date(),
      signal: handle.signal,
      conclusions,
      findings: async () =>
        isDry
          ? request.foundBefore
          : (await deps.records.listOpenFindings(project, request.analyzers)).slice(0, MAX_LISTED_FINDINGS),
      allFindings: async () => [...(isDry ? request.foundBefore : await deps.records.listOpenFindings(project, all))],
      read: (path) => files.read(path),
      write: (path, text, mimeType) => files.write(path, text, mimeType),
    });
    const parsed = step.output.safeParse(output);
    if (!parsed.success) return await fail(`what it said is not of its form: ${z.prettifyError(parsed.error)}`);
    if (isDry) {
      const kept = { said: parsed.data, found: asListed(found).slice(0, MAX_DRY_FINDINGS) };
      return await finish({ status: 'completed', output: kept, problem: null });
    }
    const packages = Object.values(conclusions).find((one) => one.packages)?.packages ?? null;
    const left = { analyzers: step.analyzers, found, packages, documents: files.documents, scanned };
    return await finish({ status: 'completed', output: parsed.data, problem: null }, left);
  } catch (error) {
    handle.signal.throwIfAborted();
    if (deps.records.isTransient(error)) throw error; // The job retries the step
    if (!(error instanceof AppError)) deps.log.error('a step failed', { run: runId, agent: request.name, error });
    return await fail(toAppError(error, runId).message);
  } finally {
    await files.close();
  }
}

/** Returns the step with its parsed input, or the reason why it cannot run. */
function check(known: Readonly<Partial<Record<string, AnalysisStep>>>, { name, input }: StepRequest) {
  const step = known[name];
  if (!step) return { problem: `no agent is registered as ${name}` };
  if (step.analyzers.length > 0 && !getAgentBounds(STEP_CLASSES[name]).canRead)
    return { problem: `agents of the class ${STEP_CLASSES[name]} may not read files` };
  const parsed = step.input.safeParse(input);
  if (!parsed.success) return { problem: `its input is incomplete: ${z.prettifyError(parsed.error)}` };
  return { step, input: parsed.data };
}

const DryOutput = z.object({
  said: z.unknown(),
  found: z.array(ShownFinding.extend({ analyzer: z.string(), fingerprint: z.string() })),
});

/** Returns the output of a step, without the findings that a dry run stores in it. */
export function readOutput(recorded: unknown): unknown {
  const dry = DryOutput.safeParse(recorded);
  return dry.success ? dry.data.said : recorded;
}

/** Returns the findings that a dry run stored in the output of a step; empty for other runs. */
export function readDryFindings(recorded: unknown): readonly ListedFinding[] {
  return DryOutput.safeParse(recorded).data?.found ?? [];
}

function asListed(found: readonly IdentifiedFinding[]): readonly ListedFinding[] {
  return found.map((one) => ({ ...one, analyzer: one.rule.split('/')[0] ?? '', findingId: null }));
}
