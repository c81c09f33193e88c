import { Button } from '@signalbox/contracts/conversation/envelope';
import { executeCall } from '@signalbox/governance/action-run';
import type { CallScope } from '@signalbox/governance/calls/call';
import type { GovernanceDeps } from '@signalbox/governance/deps';
import { createChangeStore } from '@signalbox/store/engineering/changes';
import type { Queryable } from '@signalbox/store/pool';
import { hasRow } from '@signalbox/store/sql';
import type { InboxMessage } from '@signalbox/store/turns/lanes';

/** The tool whose approval card shows the diff. */
const PUBLISHES = 'open_pull_request';
const GROUP = 'engineering';

export interface ChangeNews {
  readonly batch: readonly InboxMessage[];
  /** Runs of changes that wait for an answer of the person: nothing came of them yet. */
  readonly asking: readonly string[];
  /** Buttons that ask again where nobody could be asked. */
  readonly next: readonly Button[];
}

/**
 * Proposes the publication of each change whose diff stands now: the runtime asks for the approval, no model. The news then says who has
 * to approve. Repeating it in a resumed turn asks once, because the action's id follows from the job's.
 */
export async function proposeChanges(
  deps: GovernanceDeps,
  scope: CallScope,
  messages: readonly InboxMessage[],
): Promise<ChangeNews> {
  const told: InboxMessage[] = [];
  const asking: string[] = [];
  const next: Button[] = [];
  for (const message of messages) {
    const { envelope } = message;
    const isChange = envelope.kind === 'job-finished' && envelope.job === 'engineering.change';
    const change = isChange ? await createChangeStore(deps.pool).findByRun(envelope.runId) : null;
    if (isChange && change?.state === 'asking') {
      asking.push(envelope.runId);
      told.push({ ...message, envelope: { ...envelope, outcome: 'waits' } });
      continue;
    }
    if (!isChange || change?.state !== 'proposed') {
      told.push(message);
      continue;
    }
    const call = {
      actionId: `${envelope.runId}_pr`,
      tool: PUBLISHES,
      args: { change: change.changeId },
      groups: [GROUP],
    };
    // The call is the runtime's: it belongs to no phase of the agent.
    const { say, code } = await executeCall(deps, { ...scope, enter: () => undefined }, call);
    told.push({ ...message, envelope: { ...envelope, say: `${envelope.say}\n\n${say}` } });
    if (code === 'NEEDS_APPROVAL') next.push(...offerAgain(deps, call.args));
  }
  return { batch: told, asking, next };
}

function offerAgain({ tools }: GovernanceDeps, args: Readonly<Record<string, unknown>>): readonly Button[] {
  const order = tools.find(PUBLISHES, [GROUP])?.tool.order(args) ?? '';
  const button = Button.safeParse({ label: order, value: order });
  return button.success ? [button.data] : [];
}

/** True when a change of code waits for somebody from the end of this job on, whether its conversation goes on or not. */
export function endsChange(db: Queryable, runId: string): Promise<boolean> {
  return hasRow(db)`select from engineering_changes where run_id = ${runId} and state in ('proposed', 'asking')`;
}
