import { appendAudit } from '@signalbox/store/audit/audit';
import type { CallScope } from '../../tools/run.ts';
import { loadingEvents, sortByPolicy, type Loaded } from './loading.ts';
import type { ExecuteParts } from '../parts.ts';

/** Loads capability groups as far as policy allows it, and writes it down. Twice is harmless: groups are a set. */
export async function loadGroups(
  parts: Pick<ExecuteParts, 'policy' | 'pool'>,
  scope: CallScope,
  groups: readonly string[],
): Promise<Loaded> {
  if (groups.length === 0) return { allowed: [], refused: [] };
  const engine = parts.policy();
  const { actor, agent, chatKey, inGroup, threadId, turnId } = scope;
  const loaded = sortByPolicy(engine, groups, {
    userKey: actor.userKey,
    role: actor.role,
    agentClass: agent.class,
    chatKey,
    inGroup,
    at: scope.now().toISOString(),
  });
  const of = { userKey: actor.userKey, threadId, turnId, policyVersion: engine.version };
  await appendAudit(parts.pool, loadingEvents(loaded, of));
  return loaded;
}
