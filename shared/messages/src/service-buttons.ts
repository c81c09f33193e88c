import type { ActionButton } from '@signalbox/contracts/conversation/envelope';
import type { DeployState, ServiceKey } from '@signalbox/contracts/operations/deploy';
import { say } from './say.ts';

/*
 * Buttons about a service. What a button says in the person's name is English, which every planner and model reads; what stands on one
 * that confirms a whole call is the order of its tool, in the language of whoever is spoken to.
 */

/** A phone shows about so much of a button; what is longer cannot be read whole, so it names less. */
const LABEL_LENGTH = 64;

/** Back to the release before, by name where there is room. The label says all that a press does. */
export function rollbackButton({ project, environment }: ServiceKey, release: string | null): ActionButton {
  const words = `roll back ${project} in ${environment}`;
  const order = (version: string): string => say('deploy.rollBackOrder', { project, environment, version });
  if (release !== null && order(release).length <= LABEL_LENGTH) {
    const does = { tool: 'rollback_deploy', arguments: { project, environment, to_version: release } };
    return button(order(release), `${words} to version ${release}`, does);
  }
  return button(order('any'), words, { tool: 'rollback_deploy', arguments: { project, environment } });
}

/** The end of the deployment that is under way. */
export function cancelButton({ project, environment }: ServiceKey): ActionButton {
  const does = { tool: 'cancel_deploy', arguments: { project, environment } };
  const label = say('deploy.cancelOrder', { project, where: environment });
  return button(label, `cancel the deploy of ${project} to ${environment}`, does);
}

/** No messages about the health of a service for an hour. */
export function createMuteButton({ project, environment }: ServiceKey): ActionButton {
  const does = { tool: 'mute_service', arguments: { project, environment, hours: 1 } };
  return button(
    say('diagnose.muteOrder', { project, environment, hours: 1 }),
    `mute ${project} in ${environment} for 1 hour`,
    does,
  );
}

/** A look at what is wrong with a service. */
export function diagnoseButton({ project, environment }: ServiceKey): ActionButton {
  return { label: say('diagnose.diagnose'), value: `diagnose ${project} in ${environment}` };
}

/** What may be done about a deployment that is over: to look and try again when it failed, to go back when there is something before it. */
export function createDeploymentButtons(
  deployment: ServiceKey & {
    readonly kind: 'deploy' | 'rollback';
    readonly version: string;
    readonly state: DeployState;
    readonly isServing: boolean;
  },
  /** The release that a rollback would start again; null without one. */
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
  return isServing && before !== null ? [rollbackButton({ project, environment }, before)] : [];
}

/** A label that is too long is cut, and then it confirms nothing. */
function button(label: string, value: string, does: NonNullable<ActionButton['does']>): ActionButton {
  return { label: label.slice(0, LABEL_LENGTH), value, does };
}
