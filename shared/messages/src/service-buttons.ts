import type { ActionButton } from '@signalbox/contracts/conversation/envelope';
import type { DeployState, ServiceKey } from '@signalbox/contracts/operations/deploy';
import { say } from './say.ts';

/*
 * Buttons about a service. The text that a press sends is English, which every planner and model reads. The label of a button that
 * confirms a whole call is the tool's order in the reader's language.
 */

/** Phones cut longer labels, so a longer order leaves details out. */
const LABEL_LENGTH = 64;

/** Builds the button that returns to the previous release, with its name if that fits. The label says everything that a press does. */
export function createRollbackButton({ project, environment }: ServiceKey, release: string | null): ActionButton {
  const words = `roll back ${project} in ${environment}`;
  const order = (version: string): string => say('deploy.rollBackOrder', { project, environment, version });
  if (release !== null && order(release).length <= LABEL_LENGTH) {
    const does = { tool: 'rollback_deploy', arguments: { project, environment, to_version: release } };
    return button(order(release), `${words} to version ${release}`, does);
  }
  return button(order('any'), words, { tool: 'rollback_deploy', arguments: { project, environment } });
}

/** Builds the button that cancels the running deployment. */
export function createCancelButton({ project, environment }: ServiceKey): ActionButton {
  const does = { tool: 'cancel_deploy', arguments: { project, environment } };
  const label = say('deploy.cancelOrder', { project, where: environment });
  return button(label, `cancel the deploy of ${project} to ${environment}`, does);
}

export function createDiagnoseButton({ project, environment }: ServiceKey): ActionButton {
  return { label: say('diagnose.diagnose'), value: `diagnose ${project} in ${environment}` };
}

/** Builds the buttons of an ended deployment: logs and retry after a failure, rollback while it serves. */
export function createDeploymentButtons(
  deployment: ServiceKey & {
    readonly kind: 'deploy' | 'rollback';
    readonly version: string;
    readonly state: DeployState;
    readonly isServing: boolean;
  },
  before: string | null,
): readonly ActionButton[] {
  const { project, environment, kind, version, state, isServing } = deployment;
  if (state === 'failed' || state === 'rolled_back')
    return [
      { label: say('deploy.logsButton'), value: `show the deploy logs of ${project} in ${environment}` },
      ...(kind === 'deploy'
        ? [{ label: say('deploy.againButton'), value: `deploy ${project} ${version} to ${environment}` }]
        : []),
    ];
  return isServing && before !== null ? [createRollbackButton({ project, environment }, before)] : [];
}

/** A cut label does not show the whole order, so the press then asks instead of confirming. */
function button(label: string, value: string, does: NonNullable<ActionButton['does']>): ActionButton {
  return { label: label.slice(0, LABEL_LENGTH), value, does };
}
