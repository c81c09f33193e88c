import type { CallScope } from '../calls/call.ts';
import type { InstalledTools } from '../calls/tools.ts';
import type { GovernanceDeps } from '../deps.ts';
import { createProposedAction, createReadFacts, decideAction } from '../proposal.ts';
import { decideRisk } from '../provenance/risk.ts';

/** Who would call a tool, and where. */
export type ReadScope = Pick<CallScope, 'actor' | 'agent' | 'threadId' | 'turnId' | 'chatKey' | 'inGroup' | 'now'>;

/**
 * Asks policy whether a person may read something with a tool at once, without calling it. A search shows only what another tool would
 * show to the same person. False for a tool that is unknown, changes something, or needs a tap. Pure.
 */
export function mayRead(
  {
    tools,
    policy,
    limits,
  }: { readonly tools: Pick<InstalledTools, 'groups' | 'find'> } & Pick<GovernanceDeps, 'policy' | 'limits'>,
  scope: ReadScope,
  name: string,
  args: Readonly<Record<string, unknown>>,
): boolean {
  const found = tools.find(
    name,
    tools.groups.map((group) => group.name),
  );
  if (found === null) return false;
  const call = { ...found, name, input: args, actionId: `read:${name}` };
  const assessment = decideRisk(found.tool, args, { foreign: null, hasPrivate: false });
  if (assessment.risk !== 'safe') return false;
  const action = createProposedAction(scope, call, assessment);
  const place = { channel: scope.chatKey.split(':', 1)[0] ?? '', inGroup: scope.inGroup, leastRole: found.tool.role };
  return (
    decideAction(policy(), action, { facts: createReadFacts(scope.now()), limits, place }).decision.effect === 'run'
  );
}
