import type { FixableFinding, FixFiles, FixPlan } from '@signalbox/analysis/fixes/fix';
import { hasLockedVersion } from '@signalbox/analysis/fixes/lock-fixes';
import { writePin } from '@signalbox/analysis/fixes/pin-fix';
import { planFix } from '@signalbox/analysis/fixes/plan-fix';
import { AppError } from '@signalbox/contracts/errors';
import type { AgentBounds } from '@signalbox/contracts/governance/agent-bounds';
import { say } from '@signalbox/messages/say';
import { parsePath, requireWritable } from '@signalbox/safety/paths/boundary';
import { redactText } from '@signalbox/safety/redact/redact';
import type { NamedAction } from '../forges/action-commits.ts';
import type { LockRun } from './lock-run.ts';

/** What fixing findings needs from outside. */
export interface FixDeps {
  /** What a change may write. */
  readonly bounds: AgentBounds;
  readonly findFinding: (project: string, findingId: string) => Promise<FixableFinding>;
  /** Runs a package manager in a sandbox; null where no registry can be reached. */
  readonly runLock: LockRun | null;
  readonly findCommit: (action: NamedAction, signal: AbortSignal) => Promise<string>;
}

type Edits = Extract<FixPlan, { kind: 'edits' }>;

const MAX_OUTPUT_LENGTH = 300;

/**
 * Makes the edits that fix a finding, without a model. Repeatable. Throws CONFLICT with the reason for people when the finding cannot be
 * fixed by rules.
 */
export async function makeFixEdits(
  deps: FixDeps,
  { project, findingId }: { readonly project: string; readonly findingId: string },
  files: FixFiles,
  signal: AbortSignal,
): Promise<Edits> {
  const plan = await planFix(await deps.findFinding(project, findingId), files);
  switch (plan.kind) {
    case 'edits':
      for (const { path } of plan.files) requireOpen(deps, path);
      return plan;
    case 'pin':
      requireOpen(deps, plan.path);
      return requireEdits(await writePin(plan, await deps.findCommit(plan, signal), files));
    case 'lock':
      return writeLock(deps, plan, files, signal);
    case 'none':
      throw refuse(plan.why);
  }
}

/** Throws CONFLICT, which says who can open a protected path, before any forge is asked. */
function requireOpen({ bounds }: FixDeps, path: string): void {
  try {
    requireWritable(bounds, parsePath(path));
  } catch (error) {
    if (error instanceof AppError && error.code === 'PATH_DENIED') throw refuse(say('fixes.protected', { path }));
    throw error;
  }
}

async function writeLock(
  { runLock }: FixDeps,
  plan: Extract<FixPlan, { kind: 'lock' }>,
  files: FixFiles,
  signal: AbortSignal,
): Promise<Edits> {
  if (runLock === null) throw refuse(say('fixes.registriesClosed'));
  const { exitCode, output, lockText } = await runLock(plan, files, signal);
  if (exitCode !== 0 || lockText === null) {
    const end = redactText(output.trim()).slice(-MAX_OUTPUT_LENGTH);
    throw refuse(say('fixes.managerFailed', { output: end || '–' }));
  }
  if (plan.gone !== null && hasLockedVersion(lockText, plan.gone)) throw refuse(say('fixes.stillLocked', plan.gone));
  if (lockText === (await files.read(plan.lockFile))) throw refuse(say('fixes.nothingChanged'));
  const { title, summary, lockFile } = plan;
  return { kind: 'edits', title, summary, files: [{ path: lockFile, text: lockText }] };
}

function requireEdits(plan: FixPlan): Edits {
  if (plan.kind === 'edits') return plan;
  throw refuse(plan.kind === 'none' ? plan.why : say('fixes.fixedAlready'));
}

function refuse(detail: string): AppError {
  return new AppError('CONFLICT', { detail });
}
