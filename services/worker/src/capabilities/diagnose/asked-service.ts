import { z } from 'zod';
import { formatServiceName, type ServiceKey } from '@signalbox/contracts/operations/deploy';
import { Environment, ProjectName } from '@signalbox/contracts/conversation/fields';
import { AppError } from '@signalbox/contracts/errors';
import { say } from '@signalbox/messages/say';
import type { ToolContext, JobWait } from '../../tools/tool.ts';

export const ProjectArg = ProjectName;
export const OptionalEnvironment = Environment.optional().describe('Left out: the one in trouble');
export const TailLines = z.coerce.number().int().min(1).max(1_000).default(40).describe('How many of the newest lines');

type Ports = Pick<ToolContext['ports'], 'projects' | 'services' | 'errorHistory'>;
type Asked = { readonly project: string; readonly environment?: Environment | undefined };

const ORDER: readonly Environment[] = ['production', 'staging', 'local'];

/** The named service, else the failing one, else the first that serves. Throws NOT_FOUND (project), NEVER_DEPLOYED. */
export async function findService(ports: Ports, { project, environment }: Asked): Promise<ServiceKey> {
  await ports.projects.get(project);
  const all = await ports.services.list({ project });
  if (environment !== undefined) {
    if (all.some((one) => one.environment === environment)) return { project, environment };
    const known = all.map((one) => one.environment);
    throw new AppError('NEVER_DEPLOYED', {
      detail: say('diagnose.neverDeployed', { project, environment, count: known.length, known: known.join(', ') }),
    });
  }
  const broken = new Set((await ports.errorHistory.incidents()).map(({ subject }) => subject));
  const ranked = [...all].sort(
    (one, other) =>
      Number(broken.has(`service:${formatServiceName(other)}`)) -
        Number(broken.has(`service:${formatServiceName(one)}`)) ||
      Number(other.serving !== null) - Number(one.serving !== null) ||
      ORDER.indexOf(one.environment) - ORDER.indexOf(other.environment),
  );
  const [first] = ranked;
  if (first) return { project, environment: first.environment };
  throw new AppError('NEVER_DEPLOYED', { detail: say('diagnose.deployedNowhere', { project }) });
}

/** The resources that policy and approvers see in a call about one service; project or environment may be missing. */
export const SERVICE_SCOPE = {
  environment: ({ environment }: Asked) => environment ?? ('none' as const),
  resources: ({ project, environment }: Asked) => [
    `project:${project}`,
    ...(environment ? [`service:${project}/${environment}`] : []),
  ],
};

/** Returns the result of an awaited job, or a note that the job is still running. */
export function unwrapJob<T extends object>(
  worked: JobWait<T>,
): ({ readonly state: 'done' } & T) | { readonly state: 'goes-on' } {
  return worked.kind === 'goes-on' ? { state: 'goes-on' } : { state: 'done', ...worked.result };
}
