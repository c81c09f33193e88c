import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { judgeChecks, type ChangeResult } from '@signalbox/contracts/engineering/change';
import { AppError } from '@signalbox/contracts/errors';
import type { AgentBounds } from '@signalbox/contracts/governance/agent-bounds';
import type { JobPayload } from '@signalbox/contracts/operations/jobs';
import { HOUR_MS } from '@signalbox/contracts/time';
import { sayDuration } from '@signalbox/messages/duration';
import { explainError, say } from '@signalbox/messages/say';
import type { Model } from '@signalbox/models/port';
import { runAsCaller } from '@signalbox/models/retry/gate';
import type { ChangeStore, CodeChange } from '@signalbox/store/engineering/changes';
import { findChecks } from '../engineering/check-plan.ts';
import { failsBefore, runChecks, type CheckDeps, type CheckOutcome } from '../engineering/checks.ts';
import { makeChange, type ChangeEnd, type ChangePhase } from '../engineering/make-change.ts';
import type { ModelNode } from '../engineering/nodes.ts';
import type { FixFinding } from '../engineering/ready-edits.ts';
import type { RegistryDoor } from '../engineering/registry-door.ts';
import { sayChange } from '../engineering/say-change.ts';
import { ChangeSteps } from '../engineering/steps.ts';
import { openWorkTree, type WorkTree } from '../engineering/work-tree.ts';
import type { Git } from '../git/git.ts';
import type { HandlerOf, JobContext } from '../runner/handlers.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';

export interface EngineeringDeps {
  readonly changes: ChangeStore;
  readonly git: Git;
  /** Folder of the work trees. */
  readonly home: string;
  readonly bounds: AgentBounds;
  readonly sandbox: Sandbox;
  readonly door: RegistryDoor | null;
  /** Null without a model. */
  readonly model: ((node: ModelNode) => Model) | null;
  readonly fix: FixFinding;
}

/** Work trees older than this were left by killed processes. */
const LEFT_BEHIND_MS = 6 * HOUR_MS;

/** Makes the diff of a change in a work tree of its own. What cannot be done is a result, not a failure. */
export function createEngineeringChangeHandler(deps: EngineeringDeps): HandlerOf<'engineering.change'> {
  return {
    title: () => say('engineering.job'),
    run: async (payload, context) => {
      const change = await deps.changes.find(payload.changeId);
      if (change === null)
        throw new AppError('NOT_FOUND', { kind: 'change', name: String(payload.changeId), known: 'none' });
      if (change.state !== 'working' || change.runId !== context.runId) return toResult(change);
      const end = await work(deps, change, payload, context);
      await deps.changes.settle(change.changeId, end);
      const after = (await deps.changes.find(change.changeId)) ?? change;
      await showEnd(context, after);
      return toResult(after);
    },
    say: sayChange,
  };
}

async function work(
  deps: EngineeringDeps,
  change: CodeChange,
  { fetched }: JobPayload<'engineering.change'>,
  context: JobContext,
): Promise<ChangeEnd> {
  const { signal } = context;
  if (!fetched) throw new Error('nothing was fetched for this change');
  if (fetched.mirror === null || fetched.commit === null)
    return { state: 'failed', problem: fetched.problem ?? 'the repository was not read' };
  const { changes } = deps;
  const base = await changes.fixBase(change.changeId, fetched.commit);
  const home = join(deps.home, `${change.changeId}-${randomUUID()}`);
  await mkdir(home, { recursive: true, mode: 0o700 });
  try {
    await removeOld(deps.home);
    const place = { mirror: fetched.mirror, commit: base, folder: fetched.folder };
    const tree = await openWorkTree({ git: deps.git, home, bounds: deps.bounds }, place, signal);
    const steps = new ChangeSteps(changes, change.changeId, await changes.steps(change.changeId));
    const show = showProgress(context, change);
    const check = createCheck({ sandbox: deps.sandbox, door: deps.door, home }, tree, signal);
    const { model, fix } = deps;
    const made = () => makeChange({ steps, tree, model, fix, check, show, signal }, change, base);
    return await runAsCaller({ userKey: change.userKey, onWait: () => undefined }, made);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof AppError)) throw error;
    return { state: 'failed', problem: explainError(error).slice(0, 2_000) };
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** Checks the tree as it is. Whether a command failed before the edits too is found out once for each command. */
function createCheck(deps: CheckDeps, tree: WorkTree, signal: AbortSignal): () => Promise<CheckOutcome> {
  const { root, folder } = tree;
  const known = new Map<string, boolean>();
  return async () => {
    const planned = await findChecks(tree);
    const outcome = await runChecks(deps, { root, folder, undo: [] }, planned, signal);
    const failed = outcome.checks.at(-1)?.command;
    if (outcome.isGood || failed === undefined) return outcome;
    const undo = tree.edits();
    const failedBefore =
      known.get(failed) ?? (await failsBefore(deps, { root, folder, undo }, planned, outcome, signal));
    known.set(failed, failedBefore);
    return { ...outcome, failedBefore };
  };
}

/** One message that is edited: what is done now, and since when. */
function showProgress(context: JobContext, { changeId, project, createdAt }: CodeChange) {
  const order: readonly ChangePhase[] = ['planning', 'editing', 'testing', 'judging'];
  return async (phase: ChangePhase): Promise<void> => {
    await context.progress(order.indexOf(phase), order.length);
    const elapsed = sayDuration(Math.max(1_000, Date.now() - createdAt.getTime()));
    await context.tell(say('engineering.progress', { change: String(changeId), project, phase, elapsed }), {
      slot: 'progress',
    });
  };
}

async function showEnd(context: JobContext, { changeId, project, state, createdAt }: CodeChange): Promise<void> {
  const elapsed = sayDuration(Math.max(1_000, Date.now() - createdAt.getTime()));
  const text = say('engineering.over', { change: String(changeId), project, state, elapsed });
  await context.tell(text, { slot: 'progress', isLast: true });
}

function toResult({ changeId, project, state, proposal, question, problem }: CodeChange): ChangeResult {
  const ran = proposal === null ? {} : { ran: judgeChecks(proposal) };
  return { changeId, project, state, title: proposal?.title ?? null, ...ran, question, problem };
}

async function removeOld(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    const { mtimeMs } = await stat(join(home, name)).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > LEFT_BEHIND_MS) await rm(join(home, name), { recursive: true, force: true });
  }
}
