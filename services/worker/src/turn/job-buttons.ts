import type { OfferedButton } from '@signalbox/contracts/conversation/envelope';
import { createDeploymentButtons } from '@signalbox/messages/service-buttons';
import type { InboxMessage } from '@signalbox/store/turns/lanes';
import { createDeploymentStore } from '@signalbox/store/deploy/deployments';
import type { AgentRun } from '../agents/agent.ts';
import { bindOffers } from '@signalbox/governance/offers';
import type { TurnContext } from './turn-end.ts';
import type { TurnDeps } from './turn-parts.ts';

/** Buttons for the deployment whose end is reported; empty when these messages report none. */
export async function createJobButtons(
  { pool, governance, plugin }: Pick<TurnDeps, 'pool' | 'governance' | 'plugin'>,
  context: TurnContext,
  actor: AgentRun['actor'],
  messages: readonly InboxMessage[],
): Promise<readonly OfferedButton[]> {
  const end = messages.findLast(({ envelope }) => envelope.kind === 'job-finished')?.envelope;
  if (end?.kind !== 'job-finished' || end.job !== 'deploy.run') return [];
  const deployments = createDeploymentStore(pool);
  // A deployment that another run continued has its own id, and its latest report was already sent.
  const ended = await deployments.find(end.runId);
  if (!ended) return [];
  const { project, environment, kind, ref: version, state, serving: isServing } = ended;
  const before = isServing ? await deployments.before(ended) : null;
  const buttons = createDeploymentButtons(
    { project, environment, kind, version, state, isServing },
    before?.release ?? null,
  );
  return bindOffers(governance.tools, { ...context, agent: plugin, actor }, buttons, null);
}
