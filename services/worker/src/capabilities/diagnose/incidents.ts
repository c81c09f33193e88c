import { z } from 'zod';
import { formatServiceName } from '@signalbox/contracts/operations/deploy';
import { toPlainName } from '@signalbox/contracts/plain-name';
import { sayDuration } from '@signalbox/messages/duration';
import { say } from '@signalbox/messages/say';
import { LOOK_UP_DEFAULTS, optionalProject, tool, type ToolContext } from '../../tools/tool.ts';
import { sayAgo } from './sentences.ts';
import { requireSince } from '../../tools/arguments/since.ts';

type Told = Awaited<ReturnType<ToolContext['ports']['errorHistory']['told']>>['incidents'][number];
type Service = Awaited<ReturnType<ToolContext['ports']['services']['list']>>[number];

/** About 2,000 tokens. */
const SHOWN = 25;

const INCIDENT_ORIGINS = {
  name: 'name',
  project: 'name',
  environment: 'runtime',
  kind: 'runtime',
  detail: 'outside',
  since: 'runtime',
  lasted: 'runtime',
  ended_ago: 'runtime',
  repeats: 'runtime',
  told_to: 'name',
  taken_by: 'name',
} as const;

export const listIncidents = tool({
  describe: 'List incidents: what was wrong, since when and how long, who was told and who takes care of it.',
  hints: [
    'which incidents are open',
    'list the incidents',
    'incidents of shop since yesterday',
    'were there incidents last night',
    'who was told about the incident of shop',
    'who takes care of the incident',
    'which alarms are open',
    'show the closed incidents of today',
  ],
  input: z.object({
    state: z.enum(['open', 'closed']).optional().describe('Left out: open ones, or with a time all since then'),
    since: z.string().trim().min(1).max(60).optional().describe('Since when: 2 hours, today, yesterday, 09:00 (UTC)'),
    project: optionalProject('Left out: all'),
  }),
  ...LOOK_UP_DEFAULTS,
  resources: ({ project }) => (project === undefined ? [] : [`project:${project}`]),
  run: async ({ state: wanted, since: written, project }, { ports, now }) => {
    if (project !== undefined) await ports.projects.get(project);
    const since = written === undefined ? null : requireSince(written, now());
    const state = wanted ?? (since === null ? 'open' : undefined);
    const filter = { ...(state ? { state } : {}), ...(since ? { since } : {}), ...(project ? { project } : {}) };
    const { incidents, total } = await ports.errorHistory.told(filter, SHOWN);
    return {
      state: state ?? 'any',
      since: since?.toISOString() ?? null,
      incidents: incidents.map((one) => toShown(one, now())),
      total,
    };
  },
  phrases: {
    done: ({ state, since, incidents, total }, { project }) => {
      const about = {
        state,
        hasSince: since !== null,
        since: since?.slice(0, 16).replace('T', ' ') ?? '',
        isAll: project === undefined,
        project: project ?? '',
      };
      if (total === 0) return say('diagnose.noIncidents', about);
      return [say('diagnose.incidents', { ...about, total }), '', ...listLines(incidents, total)].join('\n');
    },
  },
}).from({ state: 'runtime', since: 'runtime', incidents: INCIDENT_ORIGINS, total: 'runtime' });

/** Says first whether anything is wrong. Only what is wrong now counts. */
export const isAnythingWrong = tool({
  describe: 'Say whether anything is wrong now, in all projects: open incidents and services that do not answer well.',
  hints: [
    'is anything wrong',
    'is everything ok',
    'is anything broken',
    'what is broken right now',
    'is anything down',
    'does anything need attention',
  ],
  input: z.object({}),
  ...LOOK_UP_DEFAULTS,
  run: async (_input, { ports, now }) => {
    const { incidents, total } = await ports.errorHistory.told({ state: 'open' }, SHOWN);
    const services = (await ports.services.list({})).filter(({ serving }) => serving !== null);
    const slow = findSlowServers(incidents, services);
    const isOfSlow = ({ kind, project, environment }: Told): boolean =>
      kind === 'slow' &&
      services.some((one) => slow.has(one.server) && one.project === project && one.environment === environment);
    const shown = incidents.filter((one) => !isOfSlow(one));
    const known = new Set(incidents.map(({ project, environment }) => `${project}/${environment}`));
    const machines = new Set(incidents.filter(({ kind }) => kind === 'machine-slow').map(({ name }) => name));
    const isKnown = (one: Service): boolean => known.has(formatServiceName(one)) || machines.has(one.server);
    const unwell = services.filter((one) => one.seen !== 'well' && !isKnown(one));
    return {
      verdict: total + unwell.length === 0 ? ('well' as const) : ('wrong' as const),
      services: services.length,
      slow_servers: [...slow].map(([server, count]) => ({ server, services: count })),
      incidents: shown.map((one) => toShown(one, now())),
      unwell: unwell.map(({ project, environment, seen }) => ({ project, environment, seen: seen ?? 'unseen' })),
      more: Math.max(0, total - incidents.length),
    };
  },
  phrases: {
    done: ({ verdict, services, slow_servers: slow, incidents, unwell, more }) => {
      if (verdict === 'well') return say('diagnose.allWell', { services });
      const count = slow.length + incidents.length + unwell.length + more;
      return [
        say('diagnose.wrongNow', { count }),
        '',
        ...slow.map(({ server, services: affected }) => `- ${say('diagnose.slowServer', { server, count: affected })}`),
        ...listLines(incidents, incidents.length + more),
        ...unwell.map((one) => `- ${say('diagnose.seenUnwell', one)}`),
      ].join('\n');
    },
  },
}).from({
  verdict: 'runtime',
  services: 'runtime',
  slow_servers: { server: 'name', services: 'runtime' },
  incidents: INCIDENT_ORIGINS,
  unwell: { project: 'name', environment: 'runtime', seen: 'runtime' },
  more: 'runtime',
});

/** Finds servers on which every service is slow: then the machine is slow, and not its services. Values: numbers of services. */
function findSlowServers(incidents: readonly Told[], services: readonly Service[]): ReadonlyMap<string, number> {
  const slow = new Set(
    incidents.filter(({ kind }) => kind === 'slow').map(({ project, environment }) => `${project}/${environment}`),
  );
  const servers = [...new Set(services.map(({ server }) => server))];
  return new Map(
    servers
      .map((server) => [server, services.filter((one) => one.server === server)] as const)
      .filter(([, there]) => there.length > 1 && there.every((one) => slow.has(formatServiceName(one))))
      .map(([server, there]) => [server, there.length]),
  );
}

function toShown(one: Told, now: Date) {
  const { name, project, environment, kind, detail, openedAt, closedAt, repeats, toldTo, takenBy } = one;
  return {
    name,
    project,
    environment,
    kind,
    detail,
    since: openedAt.toISOString(),
    lasted: sayDuration(Math.max(0, (closedAt ?? now).getTime() - openedAt.getTime())),
    ended_ago: closedAt === null ? null : sayAgo(closedAt, now),
    repeats,
    told_to: toldTo,
    taken_by: takenBy,
  };
}

function sayPlace({ name, project, environment }: Pick<Told, 'name' | 'project' | 'environment'>): string {
  const service = project === null ? null : [project, environment].filter((part) => part !== null).join('/');
  return [name, service].filter((part) => part !== null).join(' ');
}

function listLines(incidents: readonly ReturnType<typeof toShown>[], total: number): readonly string[] {
  const lines = incidents.map(
    ({ name, project, environment, detail, lasted, ended_ago: ago, told_to: told, taken_by: taken }) =>
      `- ${say('diagnose.incident', {
        place: toPlainName(sayPlace({ name, project, environment })),
        detail: toPlainName(detail).replace(/[.。]$/, ''),
        isOpen: ago === null,
        lasted,
        ago: ago ?? '',
        isTold: told !== null,
        told: toPlainName(told ?? ''),
        isTaken: taken !== null,
        taken: toPlainName(taken ?? ''),
      })}`,
  );
  return total > incidents.length
    ? [...lines, `- ${say('diagnose.moreIncidents', { count: total - incidents.length })}`]
    : lines;
}
