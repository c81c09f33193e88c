import type { AuditEvent } from '@signalbox/contracts/governance/audit';
import type { PolicyEngine } from '@signalbox/contracts/governance/decision';
import { appendAudit } from '@signalbox/store/audit/audit';
import type { CallScope } from '@signalbox/governance/calls/call';
import type { GovernanceDeps } from '@signalbox/governance/deps';
import { decideGroups, type LoadedGroups } from '@signalbox/governance/loading';

type Parts = Pick<GovernanceDeps, 'policy' | 'pool'>;

/** Loads the capability groups that policy allows, and records the decision. Idempotent: groups are a set. */
export async function loadGroups(parts: Parts, scope: CallScope, groups: readonly string[]): Promise<LoadedGroups> {
  if (groups.length === 0) return { allowed: [], refused: [] };
  const engine = parts.policy();
  const { allowed, refused } = ask(engine, scope, groups);
  await appendAudit(parts.pool, [
    ...(allowed.length > 0 ? [eventOf('capability.loaded', engine, scope, { groups: [...allowed] })] : []),
    ...refused.map((one) => eventOf('capability.refused', engine, scope, { ...one })),
  ]);
  return { allowed, refused };
}

/** Lists those of the groups that policy would let this conversation load. Records nothing. */
export function decideOffer(parts: Parts, scope: CallScope, groups: readonly string[]): readonly string[] {
  return ask(parts.policy(), scope, groups).allowed;
}

/** Drops capability groups that policy no longer allows. Each call records its removals. */
export async function pruneGroups(
  parts: Parts,
  scope: CallScope,
  groups: readonly string[],
): Promise<readonly string[]> {
  const engine = parts.policy();
  const { allowed, refused } = ask(engine, scope, groups);
  const events = refused.map(({ group, ...why }) =>
    eventOf('capability.unloaded', engine, scope, { groups: [group], ...why }),
  );
  if (events.length > 0) await appendAudit(parts.pool, events);
  return allowed;
}

function ask(engine: PolicyEngine, scope: CallScope, groups: readonly string[]): LoadedGroups {
  const { actor, agent, chatKey, inGroup, now } = scope;
  return decideGroups(engine, groups, { ...actor, agentClass: agent.class, chatKey, inGroup, at: now().toISOString() });
}

function eventOf(
  kind: AuditEvent['kind'],
  { version: policyVersion }: PolicyEngine,
  { actor, threadId, turnId }: CallScope,
  data: AuditEvent['data'],
): AuditEvent {
  return { kind, actor: actor.userKey, threadId, turnId, policyVersion, actionId: null, approvalId: null, data };
}
