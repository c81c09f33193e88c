import type { OfferedButton } from '@signalbox/contracts/conversation/envelope';
import { createDeploymentButtons } from '@signalbox/messages/service-buttons';
import { listMadeVersions } from '@signalbox/contracts/governance/field-key';
import type { InboxMessage } from '@signalbox/store/turns/lanes';
import { createDeploymentStore } from '@signalbox/store/deploy/deployments';
import type { AgentRun } from '../../agents/agent.ts';
import { bindOffers } from '@signalbox/governance/offers';
import type { TurnContext } from '../turn-end.ts';
import type { TurnDeps } from '../turn-parts.ts';

/** The newest deployments of a service among which the end of one tells of others. */
const MAX_TOLD = 20;

/** Finds the versions that the ends of deployments tell of, by run: what was deployed, what serves now and what served before. */
export async function findToldVersions(
  { pool }: Pick<TurnDeps, 'pool'>,
  messages: readonly InboxMessage[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  const deployments = createDeploymentStore(pool);
  for (const { envelope: end } of messages) {
    const ended = end.kind === 'job-finished' && end.job === 'deploy.run' ? await deployments.find(end.runId) : null;
    if (!ended) continue;
    const { deploymentId, project, environment } = ended;
    const newest = await deployments.list({ project, environment }, MAX_TOLD);
    const served = newest.filter((one) => one.state === 'succeeded' || one.deploymentId === deploymentId);
    const versions = served.flatMap(({ ref, release }) => [ref, release ?? '']);
    found.set(deploymentId, [...new Set(versions.flatMap((version) => listMadeVersions(project, version)))]);
  }
  return found;
}

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
  const before = isServing ? await deployments.healthyBefore(ended) : null;
  const buttons = createDeploymentButtons(
    { project, environment, kind, version, state, isServing },
    before?.release ?? null,
  );
  return bindOffers(governance.tools, { ...context, agent: plugin, actor }, buttons, null);
}
