import type { AgentClass } from '@signalbox/contracts/governance/action';
import type { PolicyEngine } from '@signalbox/contracts/governance/decision';
import type { Role } from '@signalbox/contracts/governance/roles';

/** Capability groups that may be loaded, and refused groups with the policy rule's reason. */
export interface LoadedGroups {
  readonly allowed: readonly string[];
  readonly refused: readonly { readonly group: string; readonly rule: string; readonly sentence: string }[];
  /** The groups' tools at the time of loading, if recorded; otherwise the current tools. */
  readonly tools?: readonly string[];
}

export interface LoadingScope {
  readonly userKey: string;
  readonly role: Role;
  readonly agentClass: AgentClass;
  readonly chatKey: string;
  readonly inGroup: boolean;
  readonly at: string;
}

/** Asks policy for each capability group whether this conversation may load it. Pure. */
export function decideGroups(engine: PolicyEngine, groups: readonly string[], place: LoadingScope): LoadedGroups {
  const asked = groups.map((group) => ({
    group,
    permission: engine.mayLoad({
      group,
      principal: { userKey: place.userKey, role: place.role, agentClass: place.agentClass },
      context: {
        channel: place.chatKey.split(':', 1)[0] ?? '',
        inGroup: place.inGroup,
        at: place.at,
        // A freeze does not stop loading, which has no effect: policy decides each call.
        frozen: false,
        breakGlass: false,
        budget: { callsLeft: null, tokensLeft: null, costUsdLeft: null },
        granted: false,
        otherApprovers: 0,
      },
    }),
  }));
  return {
    allowed: asked.filter(({ permission }) => permission.allowed).map(({ group }) => group),
    refused: asked
      .filter(({ permission }) => !permission.allowed)
      .map(({ group, permission: { rule, sentence } }) => ({ group, rule, sentence })),
  };
}
