import type { ServiceKey } from './operations/deploy.ts';
import type { ActionButton } from './conversation/envelope.ts';

/** A phone shows about so much of a button; what is longer cannot be read whole, so it names less. */
const LABEL_LENGTH = 64;

/** Back to the release before, by name where there is room. The label says all that a press does. */
export function rollbackButton({ project, environment }: ServiceKey, release: string | null): ActionButton {
  const words = `roll back ${project} in ${environment}`;
  const named = release === null ? null : { words: `${words} to version ${release}`, to_version: release };
  const { words: said, ...version } = named && named.words.length <= LABEL_LENGTH ? named : { words };
  return button(said, { tool: 'rollback_deploy', arguments: { project, environment, ...version } });
}

/** The end of the deployment that is under way. */
export function cancelButton({ project, environment }: ServiceKey): ActionButton {
  const does = { tool: 'cancel_deploy', arguments: { project, environment } };
  return button(`cancel the deploy of ${project} to ${environment}`, does);
}

/** No messages about the health of a service for an hour. */
export function muteButton({ project, environment }: ServiceKey): ActionButton {
  const does = { tool: 'mute_service', arguments: { project, environment, hours: 1 } };
  return button(`mute ${project} in ${environment} for 1 hour`, does);
}

/** What stands on it is what it says; a name that is too long for it is cut, and then it confirms nothing. */
function button(words: string, does: NonNullable<ActionButton['does']>): ActionButton {
  return { label: `${words.charAt(0).toUpperCase()}${words.slice(1)}`.slice(0, LABEL_LENGTH), value: words, does };
}
