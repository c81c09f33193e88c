import { AppError } from '@signalbox/contracts/errors';
import { explainError, say } from '@signalbox/messages/say';
import { listChanges, type ResolvedRefs } from '@signalbox/safety/cards/resolved';
import type { Proposal } from '@signalbox/store/governance/approvals';
import type { RunnableCall } from '../calls/call.ts';
import type { CallExecution } from '../deps.ts';
import { hashAction, hashCall } from '../proposal.ts';
import { rejectSecretInput } from '../provenance/verbatim.ts';

/**
 * Resolves the arguments of a call: of a plan those of all steps, with the hash of each step's exact call, so that the hash of the plan
 * covers them. Throws the obstacle, and names its step.
 */
export async function resolveArguments({ deps, scope, call }: CallExecution): Promise<RunnableCall> {
  rejectSecretInput(call);
  if (!call.steps) return { ...call, resolved: await deps.tools.resolve(scope, call, null) };
  const steps: (typeof call.steps)[number][] = [];
  for (const [at, step] of call.steps.entries())
    try {
      steps.push({ ...step, call: await resolveArguments({ deps, scope, call: step.call }) });
    } catch (error) {
      throw inStep(at, error);
    }
  const own = steps.map((step, at) => {
    const hash = hashCall(scope.actor.userKey, step.call);
    return [String(at + 1), { ...step.call.resolved, call: hash }] as const;
  });
  return { ...call, steps, resolved: Object.fromEntries(own) };
}

/** The reason why an approved action now has another meaning; null when its arguments mean the same. */
export async function findOtherMeaning(execution: CallExecution): Promise<string | null> {
  const { call } = execution;
  if (!call.steps) return (await resolveAgain(execution)).why;
  for (const [at, step] of call.steps.entries()) {
    const { why } = await resolveAgain({ ...execution, call: step.call });
    if (why !== null) return say('governance.planStep', { step: at + 1, why });
  }
  return null;
}

/** False when a step is not the one whose hash the plan's hash covers. */
export function areStepsBound({ action, steps }: Proposal): boolean {
  return (steps ?? []).every(({ proposal }, at) => {
    const bound: unknown = action.resolved?.[String(at + 1)];
    const hash: unknown = typeof bound === 'object' && bound !== null && 'call' in bound ? bound.call : null;
    return hash === hashAction(proposal.action);
  });
}

/**
 * Resolves a frozen call again. `why`: what has changed; null when nothing has but the `expected` names, which earlier steps of the plan
 * change themselves.
 */
export async function resolveAgain(
  { deps, scope, call }: CallExecution,
  expected: readonly string[] = [],
): Promise<{ readonly why: string | null; readonly resolved: ResolvedRefs | null }> {
  const { tool, resolved = null } = call;
  if (!tool.resolve) return { why: null, resolved };
  try {
    const now = await deps.tools.resolve(scope, call, resolved);
    const changes = listChanges(resolved ?? {}, now ?? {}, expected);
    const why = changes.length === 0 ? null : say('governance.meansOther', { changes: changes.join('; ') });
    return { why: why?.slice(0, 900) ?? null, resolved: now };
  } catch (error) {
    if (error instanceof AppError) return { why: explainError(error).replace(/\.$/, ''), resolved };
    throw error;
  }
}

function inStep(at: number, error: unknown): unknown {
  if (!(error instanceof AppError) || error.code === 'LANE_LOST' || error.code === 'ACTION_ID_TAKEN') return error;
  const detail = say('governance.planStep', { step: at + 1, why: explainError(error) });
  return new AppError('NOT_RESOLVED', { detail }, error);
}
