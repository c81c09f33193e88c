import { requireSince } from '../../tools/arguments/since.ts';
import type { DeployState, ServiceKey } from '@signalbox/contracts/operations/deploy';
import { toPlainName } from '@signalbox/contracts/plain-name';
import { formatCode } from '@signalbox/messages/format-code';
import { createDeploymentButtons } from '@signalbox/messages/service-buttons';
import { sayList } from '@signalbox/messages/list';
import { z } from 'zod';
import { ProjectName } from '@signalbox/contracts/conversation/fields';
import { toCodeBlock } from '@signalbox/contracts/markdown';
import { say } from '@signalbox/messages/say';
import { optionalProject, LOOK_UP_DEFAULTS, READ_DEFAULTS, tool, type ToolContext } from '../../tools/tool.ts';
import { AnyEnvironment } from './fields.ts';
import { DEPLOYMENT_ORIGINS, describeDeployment, toDeploymentSummary } from './sentences.ts';

type Ports = ToolContext['ports'];
type Service = Awaited<ReturnType<Ports['services']['list']>>[number];

const SERVING_ORIGINS = {
  project: 'name',
  environment: 'runtime',
  server: 'name',
  release: 'ref',
  url: 'runtime',
  seen: 'runtime',
} as const;

export const getDeployStatus = tool({
  describe: 'Show the latest deploy of a project: its version, who started it, its progress, and what runs now.',
  hints: [
    'what is the address of shop',
    'which version of shop runs in production',
    'is the deploy finished',
    'how is the deploy going',
    'why did the deploy fail',
    'who approved the deploy',
    'is shop live yet',
    'did the deploy of shop work',
    'which version of blog is deployed',
    'what happened',
  ],
  input: z.object({
    project: optionalProject('Left out: that of the last deployment here, else of this person'),
    environment: AnyEnvironment,
  }),
  ...LOOK_UP_DEFAULTS,
  run: async ({ project: named, environment }, context) => {
    const { ports, now } = context;
    if (named !== undefined) await ports.projects.get(named);
    const where = environment ? { environment } : {};
    const newest = await findMeant(context, { ...(named === undefined ? {} : { project: named }), ...where });
    const project = named ?? newest?.project ?? null;
    if (project === null)
      return { project, newest: null, approvedBy: [], underWay: [], evidence: null, serves: [], before: null };
    const filter = { project, ...where };
    const open = await ports.deployments.list({ ...filter, open: true }, 5);
    const others = open.filter(({ deploymentId }) => deploymentId !== newest?.deploymentId);
    const services = await ports.services.list(filter);
    const before = newest?.serving ? await ports.deployments.before(newest) : null;
    return {
      project,
      newest: newest ? toDeploymentSummary(newest, now()) : null,
      approvedBy: newest ? await ports.deployments.approvers(newest.deploymentId) : [],
      underWay: others.map((one) => toDeploymentSummary(one, now())),
      evidence: newest?.state === 'succeeded' ? await seenServing(ports, newest.deploymentId) : null,
      serves: services.map(serving),
      before: before?.release ?? null,
    };
  },
  phrases: {
    done: ({ project, newest, approvedBy, underWay, evidence, serves }, { environment }) => {
      if (project === null) return say('deploy.none');
      if (!newest) return say('deploy.noneOf', { project, where: environment ?? 'any' });
      return [
        ...(newest.failure ? [newest.failure] : []),
        describeDeployment(newest),
        ...(approvedBy.length > 0 ? [say('deploy.approvedBy', { people: sayList(approvedBy.map(toPlainName)) })] : []),
        ...(evidence ? [sayEvidence(evidence)] : []),
        ...underWay.map(describeDeployment),
        ...serves.map(describeServing),
      ].join('\n\n');
    },
    next: ({ newest, before }) => (newest ? createDeploymentButtons(newest, before) : []),
  },
}).from({
  project: 'name',
  newest: DEPLOYMENT_ORIGINS,
  approvedBy: 'name',
  underWay: DEPLOYMENT_ORIGINS,
  evidence: { release: 'ref', by: 'runtime', ms: 'runtime' },
  serves: SERVING_ORIGINS,
  before: 'ref',
});

/** Finds the project's newest deployment. Without a project: the newest of this conversation, else of this person, else of anybody. */
async function findMeant(
  { ports, threadId, actor }: ToolContext,
  filter: Partial<ServiceKey>,
): Promise<Awaited<ReturnType<Ports['deployments']['list']>>[number] | null> {
  const tries =
    filter.project === undefined ? [{ ...filter, threadId }, { ...filter, userKey: actor.userKey }, filter] : [filter];
  for (const one of tries) {
    const [newest] = await ports.deployments.list(one, 1);
    if (newest) return newest;
  }
  return null;
}

export const getDeployLogs = tool({
  describe: 'Show the output of the latest deploy of a project: what its build and the new release wrote.',
  hints: [
    'show the deploy logs of shop',
    'deploy output of blog in staging',
    'show me the logs of the deploy',
    'logs of the last deploy',
    'what did the build of shop print',
    'build log of blog',
  ],
  input: z.object({
    project: ProjectName,
    environment: AnyEnvironment,
    lines: z.coerce
      .number()
      .int()
      .min(1)
      .max(500)
      .default(40)
      .describe('How many of the last lines, 40 unless said otherwise')
      .meta({ ask: 'How many lines?' }),
  }),
  ...READ_DEFAULTS,
  role: 'viewer',
  deadlineMs: 5_000,
  newest: 'last',
  run: async ({ project, environment, lines: tail }, { ports, now }) => {
    await ports.projects.get(project);
    const [newest] = await ports.deployments.list({ project, ...(environment ? { environment } : {}) }, 1);
    if (!newest) return { project, deployment: null, lines: [] };
    const written = await ports.deployments.lines(newest.deploymentId, tail);
    const lines = written.length > 0 ? written.map(({ line }) => line) : (newest.failure?.lines ?? []).slice(-tail);
    return { project, deployment: toDeploymentSummary(newest, now()), lines };
  },
  phrases: {
    done: ({ project, deployment, lines }, { environment }) => {
      if (!deployment) return say('deploy.noLogs', { project, where: environment ?? 'any' });
      const written = lines.length === 0 ? say('deploy.nothingWritten') : toCodeBlock(lines.join('\n'));
      return `${describeDeployment(deployment)}\n\n${written}`;
    },
  },
}).from({ project: 'name', deployment: DEPLOYMENT_ORIGINS, lines: 'outside' });

const ENDS: Readonly<Record<'failed' | 'succeeded', readonly DeployState[]>> = {
  failed: ['failed', 'rolled_back', 'cancelled'],
  succeeded: ['succeeded', 'draining'],
};

export const listDeployments = tool({
  describe: 'List past deploys, the newest first: what, where, when, who asked for it and what became of it.',
  hints: [
    'list the deployments of shop',
    'deploy history',
    'show the last deploys',
    'history of deployments of blog',
    'who deployed shop last',
    'list past deploys',
    'all deployments so far',
    'which deployments failed today',
    'failed deployments of shop since yesterday',
  ],
  input: z.object({
    project: optionalProject('Left out: all'),
    state: z.enum(['failed', 'succeeded']).optional().describe('Left out: any end; failed: also those taken back'),
    since: z.string().trim().min(1).max(60).optional().describe('Since when: 2 hours, today, yesterday, 09:00 (UTC)'),
  }),
  ...LOOK_UP_DEFAULTS,
  run: async ({ project, state, since }, { ports, now }) => {
    if (project !== undefined) await ports.projects.get(project);
    const filter = {
      ...(project === undefined ? {} : { project }),
      ...(state === undefined ? {} : { states: ENDS[state] }),
      ...(since === undefined ? {} : { since: requireSince(since, now()) }),
    };
    const found = await ports.deployments.list(filter, 15);
    return { deployments: found.map((one) => toDeploymentSummary(one, now())) };
  },
  phrases: {
    done: ({ deployments }, { state, since }) =>
      deployments.length === 0
        ? say(state === undefined && since === undefined ? 'deploy.none' : 'deploy.noneSuch')
        : deployments.map((one) => `- ${describeDeployment(one)}`).join('\n'),
  },
}).from({ deployments: DEPLOYMENT_ORIGINS });

export const listServices = tool({
  describe: 'List what runs where: the release of each project that serves in an environment, and its address.',
  hints: [
    'what runs on staging',
    'what is running in production',
    'what runs where',
    'which services run',
    'list the services',
    'where does shop run',
    'what is deployed on staging',
    'list what is deployed in production',
    'what is running on production',
  ],
  input: z.object({
    environment: AnyEnvironment,
    project: optionalProject('Left out: all'),
  }),
  ...LOOK_UP_DEFAULTS,
  run: async ({ project, environment }, { ports }) => {
    if (project !== undefined) await ports.projects.get(project);
    const found = await ports.services.list({
      ...(project ? { project } : {}),
      ...(environment ? { environment } : {}),
    });
    return { services: found.map(serving) };
  },
  phrases: {
    done: ({ services }, { environment }) =>
      services.length === 0
        ? say('deploy.nothingRuns', { where: environment ?? 'any' })
        : services.map((one) => `- ${describeServing(one)}`).join('\n'),
  },
}).from({ services: SERVING_ORIGINS });

function serving({ project, environment, server, release, url, seen }: Service) {
  return { project, environment, server, release, url, seen };
}

function describeServing({ project, environment, server, release, url, seen }: ReturnType<typeof serving>): string {
  if (release === null) return say('deploy.nothingServes', { project, environment });
  const place = { project, environment, server, seen: seen ?? 'well' };
  return say('deploy.serves', { ...place, release: formatCode(release), hasUrl: url !== null, url: url ?? '' });
}

interface Evidence {
  readonly release: string;
  /** The source of the evidence: the release itself, or the proxy's instance. */
  readonly by: string | null;
  readonly ms: number | null;
}

/** The evidence that a finished deployment served traffic; null without evidence. */
async function seenServing(ports: Ports, deploymentId: string): Promise<Evidence | null> {
  const events = await ports.deployments.events(deploymentId);
  const { serves, by, ms } = events.findLast(({ to }) => to === 'draining')?.evidence ?? {};
  if (typeof serves !== 'string') return null;
  return {
    release: serves,
    by: typeof by === 'string' ? by : null,
    ms: typeof ms === 'number' ? Math.round(ms) : null,
  };
}

function sayEvidence({ release, by, ms }: Evidence): string {
  if (by === null) return say('deploy.seenThroughProxy', { release: formatCode(release) });
  return say('deploy.seenThroughProxyBy', { release: formatCode(release), by, isTimed: ms !== null, ms: ms ?? 0 });
}
