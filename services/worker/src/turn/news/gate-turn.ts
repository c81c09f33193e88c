import { makeGateActionId, UNREAD_FACTS, type GateFacts, type GateRequest } from '@signalbox/contracts/operations/gate';
import { SECOND_MS, sleepOrThrow } from '@signalbox/contracts/time';
import { executeCall } from '@signalbox/governance/action-run';
import type { CallScope, ToolCallResult } from '@signalbox/governance/calls/call';
import type { GovernanceDeps } from '@signalbox/governance/deps';
import { findGateProof, settleGateFacts, type GateProof } from '@signalbox/store/governance/gates';
import { findPersons } from '@signalbox/store/people/identities';
import type { InboxMessage } from '@signalbox/store/turns/lanes';

const GROUP = 'gates';
const TOOL = 'pass_gate';
/** How long people wait for what the jobs read at the forge; they read for six seconds at most. */
const FACTS_MS = 10 * SECOND_MS;
const POLL_MS = 200;

/**
 * Asks people about the gate of a pipeline; null for any other message. The runtime asks, no model. Repeating it in a resumed turn asks
 * once, because the action's id follows from the event's, and what was read of the gate is fixed with its first reading.
 */
export async function askGate(
  deps: GovernanceDeps,
  scope: CallScope,
  { envelope }: InboxMessage,
): Promise<ToolCallResult | null> {
  if (envelope.kind !== 'message' || !envelope.gate) return null;
  const { userKey, updateId, gate } = envelope;
  const proof = await waitForProof(deps, scope, updateId);
  const call = {
    actionId: makeGateActionId(updateId),
    tool: TOOL,
    args: proof ? toProvenArguments(gate, proof) : { ...gate, actor_known: await isProgramOfPerson(deps, userKey) },
    groups: [GROUP],
  };
  // The call is the runtime's: it belongs to no phase of the agent. Whoever asked at the forge may not approve.
  return executeCall(deps, { ...scope, askers: proof?.accounts ?? [], enter: () => undefined }, call);
}

/** A program of a person proves who asks. A service account only passes on a name. */
async function isProgramOfPerson({ pool }: GovernanceDeps, userKey: string): Promise<'yes' | 'no'> {
  const persons = await findPersons(pool, [userKey]);
  return persons.some((person) => person !== userKey) ? 'yes' : 'no';
}

/** Finds what the forge has proved. Waits for what is being read there, and gives it up after a while, for good. */
async function waitForProof({ pool }: GovernanceDeps, scope: CallScope, eventId: string): Promise<GateProof | null> {
  const deadline = performance.now() + FACTS_MS;
  for (;;) {
    const proof = await findGateProof(pool, eventId);
    if (proof === null || proof.facts !== null) return proof;
    if (performance.now() > deadline) {
      await settleGateFacts(pool, eventId, UNREAD_FACTS);
      continue;
    }
    await sleepOrThrow(POLL_MS, scope.signal);
  }
}

/**
 * The person counts as known when everybody in whose name the forge asks has linked that account, and it is certain who started this
 * attempt: a run that is started again keeps the name of the one who started it first.
 */
function toProvenArguments(gate: GateRequest, { forge, accounts, known, facts }: GateProof): Record<string, unknown> {
  const { attempt, actor, commits, checks, unread } = facts ?? UNREAD_FACTS;
  const isCertain = known > 0 && known === accounts.length && !unread.includes('run');
  return {
    ...gate,
    ...(attempt === null ? {} : { run: `${gate.run.split(':', 1)[0]}:${attempt}` }),
    ...(actor === null ? {} : { actor }),
    actor_known: isCertain ? 'yes' : 'no',
    ...(known > 0 && known < accounts.length ? { some_known: true } : {}),
    forge,
    ...toReadArguments({ commits, checks, unread }),
  };
}

function toReadArguments({
  commits,
  checks,
  unread,
}: Pick<GateFacts, 'commits' | 'checks' | 'unread'>): Record<string, unknown> {
  return {
    ...(commits === null ? {} : { new_commits: commits.count }),
    ...(commits && commits.titles.length > 0 ? { commits: commits.titles.join('\n') } : {}),
    ...(checks === null ? {} : { checks: checks.state }),
    ...(checks && checks.failed.length > 0 ? { failed_checks: checks.failed.join('\n') } : {}),
    ...(unread.length > 0 ? { unread: unread.join(' ') } : {}),
  };
}
