import { createHash } from 'node:crypto';
import type { ServiceKey } from '@signalbox/contracts/operations/deploy';
import { ReleaseId } from '../driver.ts';

/** Labels of every image and container of Signalbox; others are never touched. */
const NAMES = {
  project: 'signalbox.project',
  environment: 'signalbox.environment',
  deploymentId: 'signalbox.deployment',
  release: 'signalbox.release',
  fence: 'signalbox.fence',
} as const satisfies Record<keyof ReleaseId, string>;
const FIELDS = Object.keys(NAMES) as readonly (keyof ReleaseId)[]; // the keys of the record above

export function labelsOf(id: ReleaseId): Record<string, string> {
  return Object.fromEntries(FIELDS.map((field) => [NAMES[field], String(id[field])]));
}

/** Reads the release id from labels; null for foreign ones. */
export function readLabels(labels: Readonly<Record<string, string>> | null): ReleaseId | null {
  return ReleaseId.safeParse(Object.fromEntries(FIELDS.map((field) => [field, labels?.[NAMES[field]]]))).data ?? null;
}

/** Label with the image of a container. */
export const ARTIFACT_LABEL = 'signalbox.artifact';

/** Builds a label filter for a service, or one deployment of it. */
export function filterFor(service: ServiceKey & { readonly deploymentId?: string }): { label: string[] } {
  const { project, environment, deploymentId } = service;
  const label = [`signalbox.project=${project}`, `signalbox.environment=${environment}`];
  return { label: deploymentId === undefined ? label : [...label, `signalbox.deployment=${deploymentId}`] };
}

/** Builds the image name of a deployment, also used for its container so that two starts cannot both create it. */
export function getImageName(id: ReleaseId): string {
  return `signalbox/${plain(id.project)}-${id.environment}:${plain(id.deploymentId)}`;
}

export function getContainerName(id: ReleaseId): string {
  return `signalbox-${plain(id.project)}-${id.environment}-${plain(id.deploymentId)}`;
}

/** Builds a host name that marks the containers of a build, which the engine gives no labels. */
export function buildMarkOf(id: ReleaseId): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([id.project, id.environment, id.deploymentId]))
    .digest('hex');
  return `build-${digest.slice(0, 24)}.signalbox`;
}

function plain(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 80);
}
