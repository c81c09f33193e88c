import { createHash } from 'node:crypto';
import type { ServiceKey } from '@signalbox/contracts/operations/deploy';
import { z } from 'zod';
import type { ReleaseId } from '../driver.ts';

/** What every image and container of Signalbox carries; nothing without it is touched. */
const Labels = z.object({
  'signalbox.project': z.string(),
  'signalbox.environment': z.enum(['staging', 'production', 'local']),
  'signalbox.deployment': z.string(),
  'signalbox.release': z.string(),
  'signalbox.fence': z.coerce.number().int(),
});

export function labelsOf(id: ReleaseId): Record<string, string> {
  return {
    'signalbox.project': id.project,
    'signalbox.environment': id.environment,
    'signalbox.deployment': id.deploymentId,
    'signalbox.release': id.release,
    'signalbox.fence': String(id.fence),
  };
}

/** Whose it is; null for what is not Signalbox's. */
export function readLabels(labels: unknown): ReleaseId | null {
  const parsed = Labels.safeParse(labels);
  if (!parsed.success) return null;
  const { data } = parsed;
  return {
    project: data['signalbox.project'],
    environment: data['signalbox.environment'],
    deploymentId: data['signalbox.deployment'],
    release: data['signalbox.release'],
    fence: data['signalbox.fence'],
  };
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
