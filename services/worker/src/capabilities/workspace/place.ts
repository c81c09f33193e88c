import { AppError } from '@signalbox/contracts/errors';
import { SECOND_MS, waitAtMost } from '@signalbox/contracts/time';
import { say } from '@signalbox/messages/say';
import type { ResolveContext, ResolvedRefs } from '../../tools/tool.ts';

/**
 * The resource by which policy knows that an effect stays in the folder of the requester's own conversation, and for a command that it is
 * confined there: see infra/policy/sandbox.cedar. Only the runtime sets it.
 */
const OWN_PLACE = 'place:conversation';

/** Enough for a busy service; then the command asks a person. */
const CONFINEMENT_MS = 10 * SECOND_MS;

/** Lists the resource of the conversation's own folder; nothing for the workspace of a project. */
export function listOwnPlace(project: string | undefined): readonly string[] {
  return project === undefined ? [OWN_PLACE] : [];
}

/** Lists the resource of the conversation's own folder for a command, if the sandbox works. */
export function listConfinedPlace(resolved: ResolvedRefs | null): readonly string[] {
  return resolved?.['sandbox'] === 'works' ? [OWN_PLACE] : [];
}

/** Asks the service that runs commands whether its sandbox passed its self-test. The service refuses commands without one in any case. */
export async function findConfinement(look: ResolveContext): Promise<ResolvedRefs> {
  try {
    const found = await waitAtMost(look.work('workspace.confinement', {}), CONFINEMENT_MS);
    const problem = found === undefined ? say('workspace.noRunner') : found.problem;
    return problem === null ? { sandbox: 'works' } : { sandbox: 'missing', problem };
  } catch (error) {
    const isUnanswered = error instanceof AppError && (error.code === 'JOB_FAILED' || error.code === 'NOT_RESOLVED');
    if (!isUnanswered) throw error;
    return { sandbox: 'missing', problem: say('workspace.noRunner') };
  }
}

/** Describes why a command of the conversation's own folder is not confined; empty when it is, or need not be. */
export function listConfinementProblems(resolved: ResolvedRefs | null): readonly string[] {
  const problem = resolved?.['problem'];
  return typeof problem === 'string' ? [say('workspace.unconfined', { reason: problem })] : [];
}
