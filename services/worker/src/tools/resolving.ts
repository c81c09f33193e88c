import { hashCanonical } from '@signalbox/safety/cards/canonical';
import { coversRole } from '@signalbox/contracts/governance/roles';
import { AppError } from '@signalbox/contracts/errors';
import type { ResolvedRefs } from '@signalbox/safety/cards/resolved';
import { SECOND_MS, abortAfter } from '@signalbox/contracts/time';
import { makeLookUpId } from '@signalbox/contracts/ids';
import { say } from '@signalbox/messages/say';
import type { CallScope } from '@signalbox/governance/calls/call';
import type { HandledCall, ToolRunDeps } from './run.ts';
import { limitPorts, abortWithSignal } from './tool-bounds.ts';
import type { ResolveContext } from './tool.ts';

/** The deadline of a look-up: enough for the first fetch of a large repository, while a person waits. */
const RESOLVE_MS = 60 * SECOND_MS;

/** Resolves a call's arguments to current values; null without a look-up or permission. Throws the obstacle. Reads only. */
export async function resolveCall(
  parts: Pick<ToolRunDeps, 'ports' | 'work'>,
  scope: CallScope,
  call: HandledCall,
  before: ResolvedRefs | null,
): Promise<ResolvedRefs | null> {
  const { tool, input } = call;
  if (!tool.resolve || !coversRole(scope.actor.role, tool.role)) return null;
  const deadline = abortAfter(RESOLVE_MS);
  const resolving = tool.resolve(input, createResolveContext(parts, scope, call, before));
  try {
    return await abortWithSignal(resolving, AbortSignal.any([scope.signal, deadline]));
  } catch (error) {
    if (scope.signal.aborted) throw scope.signal.reason;
    if (deadline.aborted) throw tooSlow(error);
    throw error;
  }
}

export function createResolveContext(
  parts: Pick<ToolRunDeps, 'ports' | 'work'>,
  scope: CallScope,
  { name, input, group, actionId }: Pick<HandledCall, 'name' | 'input' | 'group' | 'actionId'>,
  before: ResolvedRefs | null,
): ResolveContext {
  return {
    ports: limitPorts(parts.ports, group),
    before,
    threadId: scope.threadId,
    work: async (job, payload) => {
      // Different look-ups for one action get different runs, and so do those of another turn.
      const runId = makeLookUpId(actionId, hashCanonical({ job, payload, before, turnKey: scope.turnKey }));
      const call = { actionId: runId, name, input };
      const worked = await parts.work(job, payload, scope, call, { deadlineMs: RESOLVE_MS, isQuiet: true });
      if (worked.kind === 'done') return worked.result;
      throw tooSlow();
    },
  };
}

function tooSlow(cause?: unknown): AppError {
  const detail = say('governance.noAnswer', { seconds: RESOLVE_MS / SECOND_MS });
  return new AppError('NOT_RESOLVED', { detail }, cause);
}
