import { appendAudit } from '@signalbox/store/audit/audit';
import type { PolicyEngine } from '@signalbox/contracts/governance/decision';
import type { CallScope } from '../../tools/run.ts';
import { loadingEvents, sortByPolicy, unloadingEvents, type Loaded } from './loading.ts';
import type { ExecuteParts } from '../parts.ts';

type Parts = Pick<ExecuteParts, 'policy' | 'pool'>;

/** Loads capability groups as far as policy allows it, and writes it down. Idempotent: groups are a set. */
export async function loadGroups(parts: Parts, scope: CallScope, groups: readonly string[]): Promise<Loaded> {
  if (groups.length === 0) return { allowed: [], refused: [] };
  const engine = parts.policy();
  const loaded = ask(engine, scope, groups);
  await appendAudit(parts.pool, loadingEvents(loaded, actOf(engine, scope)));
  return loaded;
}

/** The loaded groups without the idle ones and those that policy allows no longer. What goes is written down; twice writes it twice. */
export async function keepGroups(
  parts: Parts,
  scope: CallScope,
  groups: readonly string[],
  idle: readonly string[],
): Promise<readonly string[]> {
  const engine = parts.policy();
  const { allowed, refused } = ask(
    engine,
    scope,
    groups.filter((group) => !idle.includes(group)),
  );
  const events = unloadingEvents({ idle, refused }, actOf(engine, scope));
  if (events.length > 0) await appendAudit(parts.pool, events);
  return allowed;
}

function ask(
  engine: PolicyEngine,
  { actor, agent, chatKey, inGroup, now }: CallScope,
  groups: readonly string[],
): Loaded {
  return sortByPolicy(engine, groups, {
    userKey: actor.userKey,
    role: actor.role,
    agentClass: agent.class,
    chatKey,
    inGroup,
    at: now().toISOString(),
  });
}

function actOf({ version }: PolicyEngine, { actor, threadId, turnId }: CallScope) {
  return { userKey: actor.userKey, threadId, turnId, policyVersion: version };
}
