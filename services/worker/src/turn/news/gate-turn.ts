import { makeGateActionId } from '@signalbox/contracts/operations/gate';
import { executeCall } from '@signalbox/governance/action-run';
import type { CallScope, ToolCallResult } from '@signalbox/governance/calls/call';
import type { GovernanceDeps } from '@signalbox/governance/deps';
import { findPersons } from '@signalbox/store/people/identities';
import type { InboxMessage } from '@signalbox/store/turns/lanes';

const GROUP = 'gates';
const TOOL = 'pass_gate';

/**
 * Asks people about the gate of a pipeline; null for any other message. The runtime asks, no model. Repeating it in a resumed turn asks
 * once, because the action's id follows from the event's.
 */
export async function askGate(
  deps: GovernanceDeps,
  scope: CallScope,
  { envelope }: InboxMessage,
): Promise<ToolCallResult | null> {
  if (envelope.kind !== 'message' || !envelope.gate) return null;
  const { userKey, updateId, gate } = envelope;
  const persons = await findPersons(deps.pool, [userKey]);
  // A program of a person proves who asks. A service account only passes on a name.
  const isKnown = persons.some((person) => person !== userKey);
  const call = {
    actionId: makeGateActionId(updateId),
    tool: TOOL,
    args: { ...gate, actor_known: isKnown ? 'yes' : 'no' },
    groups: [GROUP],
  };
  // The call is the runtime's: it belongs to no phase of the agent.
  return executeCall(deps, { ...scope, enter: () => undefined }, call);
}
