import { z } from 'zod';
import { ProjectName } from '@signalbox/contracts/conversation/fields';
import { formatCode } from '@signalbox/messages/format-code';
import { say } from '@signalbox/messages/say';
import { LOOK_UP_DEFAULTS, tool, type ToolContext } from '../../tools/tool.ts';
import { AnyEnvironment } from './fields.ts';

type Ports = ToolContext['ports'];

const ORIGINS = { services: { project: 'name', environment: 'runtime', release: 'ref' }, possible: 'runtime' } as const;

/** Finds what serves, so that the answer names the release to deploy again. */
async function listServing(ports: Ports, project: string, environment: string | undefined) {
  await ports.projects.get(project);
  const services = await ports.services.list({ project });
  return services
    .filter((one) => one.release !== null && (environment === undefined || one.environment === environment))
    .map(({ environment: place, release }) => ({ project, environment: place, release: release ?? '' }));
}

const Service = z.object({ project: ProjectName, environment: AnyEnvironment });

/** What both tools do: they look at what serves, and change nothing. */
const NOT_POSSIBLE = {
  input: Service,
  ...LOOK_UP_DEFAULTS,
  resources: ({ project }: z.output<typeof Service>) => [`project:${project}`],
  run: async ({ project, environment }: z.output<typeof Service>, { ports }: ToolContext) => ({
    possible: false,
    services: await listServing(ports, project, environment),
  }),
};

/** Restarts do not exist here; people who ask for one are told what does. */
export const restartService = tool({
  describe: 'Tell how a service is started anew: there is no restart in place; its release is deployed again.',
  hints: [
    'restart shop in staging',
    'restart the service shop',
    'reboot shop in production',
    'bounce blog on staging',
    'restart shop',
    'can you restart blog',
  ],
  ...NOT_POSSIBLE,
  phrases: {
    done: ({ services }, { project }) =>
      [say('deploy.noRestart', { project, count: services.length }), ...services.map(describeAgain)].join('\n'),
    next: ({ services }) =>
      services.map(({ project, environment, release }) => ({
        label: say('deploy.deployAgain', { release, environment }),
        value: `deploy ${project} ${release} to ${environment}`,
      })),
  },
}).from(ORIGINS);

/** A service runs once in an environment; people who want more of it are told so. */
export const scaleService = tool({
  describe: 'Tell how a service gets more room: it runs once in an environment, so a stronger server is the way.',
  hints: [
    'scale shop to 3 instances',
    'scale up blog in production',
    'run more instances of shop',
    'add replicas of shop in production',
    'scale out shop',
    'scale down blog on staging',
  ],
  ...NOT_POSSIBLE,
  phrases: { done: (_found, { project }) => say('deploy.noScale', { project }) },
}).from(ORIGINS);

function describeAgain({ environment, release }: { readonly environment: string; readonly release: string }): string {
  return `- ${say('deploy.serveAgain', { environment, release: formatCode(release) })}`;
}
