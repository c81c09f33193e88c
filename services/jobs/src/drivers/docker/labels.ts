import { createHash } from 'node:crypto';
import type { ServiceKey } from '@signalbox/contracts/operations/deploy';
import { ReleaseId } from '../driver.ts';

/** Labels of every image and container of a release; the driver touches nothing without them. */
const NAMES = {
  project: 'signalbox.project',
  environment: 'signalbox.environment',
  deploymentId: 'signalbox.deployment',
  release: 'signalbox.release',
  fence: 'signalbox.fence',
} as const satisfies Record<keyof ReleaseId, string>;
const FIELDS = Object.keys(NAMES) as readonly (keyof ReleaseId)[]; // NAMES has exactly the keys of ReleaseId.

export function buildLabels(id: ReleaseId): Record<string, string> {
  return Object.fromEntries(FIELDS.map((field) => [NAMES[field], String(id[field])]));
}

/** Reads the release id from labels; null when labels are missing. */
export function readLabels(labels: Readonly<Record<string, string>> | null): ReleaseId | null {
  return ReleaseId.safeParse(Object.fromEntries(FIELDS.map((field) => [field, labels?.[NAMES[field]]]))).data ?? null;
}

/** Label of a container that names its image. */
export const ARTIFACT_LABEL = 'signalbox.artifact';

export function buildLabelFilter(service: ServiceKey & { readonly deploymentId?: string }): { label: string[] } {
  const { project, environment, deploymentId } = service;
  const label = [`signalbox.project=${project}`, `signalbox.environment=${environment}`];
  return { label: deploymentId === undefined ? label : [...label, `signalbox.deployment=${deploymentId}`] };
}

export function buildImageName(id: ReleaseId): string {
  return `signalbox/${plain(id.project)}-${id.environment}:${plain(id.deploymentId)}`;
}

export function buildContainerName(id: ReleaseId): string {
  return `signalbox-${plain(id.project)}-${id.environment}-${plain(id.deploymentId)}`;
}

/** Builds a host name that marks the containers of a build, because the engine gives them no labels. */
export function getBuildHostName(id: ReleaseId): string {
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
