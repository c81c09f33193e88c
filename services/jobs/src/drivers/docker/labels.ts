import { createHash } from 'node:crypto';
import type { ServiceKey } from '@signalbox/contracts/operations/deploy';
import { ReleaseId } from '../driver.ts';

/** What every image and container of Signalbox carries; nothing without it is touched. */
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

/** Whose it is; null for what is not Signalbox's. */
export function readLabels(labels: Readonly<Record<string, string>> | null): ReleaseId | null {
  return ReleaseId.safeParse(Object.fromEntries(FIELDS.map((field) => [field, labels?.[NAMES[field]]]))).data ?? null;
}

/** Label of a container: the image it was started from. */
export const ARTIFACT_LABEL = 'signalbox.artifact';

/** A filter for what belongs to a service, or to one deployment of it. */
export function filterFor(service: ServiceKey & { readonly deploymentId?: string }): { label: string[] } {
  const { project, environment, deploymentId } = service;
  const label = [`signalbox.project=${project}`, `signalbox.environment=${environment}`];
  return { label: deploymentId === undefined ? label : [...label, `signalbox.deployment=${deploymentId}`] };
}

/** The name of a deployment's image; also of its container, which two starts at once cannot both take. */
export function imageOf(id: ReleaseId): string {
  return `signalbox/${plain(id.project)}-${id.environment}:${plain(id.deploymentId)}`;
}

export function containerNameOf(id: ReleaseId): string {
  return `signalbox-${plain(id.project)}-${id.environment}-${plain(id.deploymentId)}`;
}

/** A host name that tells the containers of a build from all others: the engine gives them no labels. */
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
