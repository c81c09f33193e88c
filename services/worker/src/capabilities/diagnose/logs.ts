import { z } from 'zod';
import { AppError } from '@signalbox/contracts/errors';
import { HOUR_MS, MINUTE_MS } from '@signalbox/contracts/time';
import { say } from '@signalbox/messages/say';
import { requireSince } from '../../tools/arguments/since.ts';
import { optionalProject, READ_DEFAULTS, tool } from '../../tools/tool.ts';
import { SERVICE_SCOPE, findService, ProjectArg, OptionalEnvironment, TailLines, unwrapJob } from './asked-service.ts';
import { foldLines } from './fold.ts';
import { sayAgo, formatCode, toLogBlock } from './sentences.ts';

const Minutes = z.coerce
  .number()
  .int()
  .min(1)
  .max(7 * 24 * 60);
const GROUPS = 50;
const SHOWN = 10;

export const getServiceLogs = tool({
  describe: 'Show the log of a service: what serves, what served before, or one deployment; by text and time.',
  hints: [
    'show the logs of shop',
    'show me the logs of shop on staging',
    'logs of blog in production',
    'last 100 lines of the log of shop',
    'what does the log of shop say',
    'shop logs',
    'show the logs of the previous release of shop',
  ],
  input: z.object({
    project: ProjectArg,
    environment: OptionalEnvironment,
    lines: TailLines,
    text: z.string().trim().max(200).optional().describe('Only lines with this text'),
    minutes: Minutes.optional().describe('Only of the last so many minutes'),
    until_minutes_ago: Minutes.optional().describe('Only older than so many minutes'),
    of: z.enum(['serving', 'previous']).default('serving').describe('What serves now, or what served before'),
    deployment: z.string().trim().max(160).optional().describe('Id of one deployment, instead of what serves'),
  }),
  ...READ_DEFAULTS,
  ...SERVICE_SCOPE,
  deadlineMs: 45_000,
  newest: 'last',
  run: async ({ lines, text, minutes, until_minutes_ago: until, of, deployment, ...asked }, context) => {
    const service = await findService(context.ports, asked);
    if (of === 'serving' && deployment === undefined && (await context.ports.services.find(service))?.serving == null)
      throw new AppError('LOG_MISSING', service);
    const payload = {
      ...service,
      of: deployment ?? of,
      tail: lines,
      sinceMinutes: minutes ?? null,
      untilMinutes: until ?? null,
      match: text === undefined || text === '' ? null : text,
      followSeconds: 0,
    };
    const read = unwrapJob(await context.work('service.logs', payload));
    if (read.state === 'goes-on') return { ...service, ...read };
    const { lines: found, probes, ...rest } = read;
    return { ...service, ...rest, lines: foldLines(found), health_checks_left_out: probes };
  },
  phrases: {
    done: (found) => {
      if (found.state === 'goes-on') return say('diagnose.goesOn');
      const { project, environment, release, lines, truncated } = found;
      const of = { project, environment, hasRelease: release !== null, release: formatCode(release ?? '') };
      if (lines.length === 0) return say('diagnose.noSuchLines', of);
      return `${say('diagnose.log', { ...of, lines: lines.length, truncated })}\n\n${toLogBlock(lines)}`;
    },
  },
}).from({
  project: 'name',
  environment: 'runtime',
  state: 'runtime',
  release: 'ref',
  lines: 'outside',
  truncated: 'runtime',
  health_checks_left_out: 'runtime',
  deploymentId: 'runtime',
  followed: 'runtime',
});

/** True when an incident is of the project and environment that were named; a server belongs to no project. */
function isAbout(subject: string, project?: string, environment?: string): boolean {
  const [named = '', place = ''] = subject.replace(/^service:/, '').split('/');
  if (project !== undefined && named !== project) return false;
  return environment === undefined || !subject.startsWith('service:') || place === environment;
}

export const getErrorHistory = tool({
  describe:
    'Show which errors services had lately: alike ones together, with counts, first and last time, and where from.',
  hints: [
    'errors in the last hour',
    'which errors did shop have today',
    'what errors happened today',
    'show the error history of blog',
    'what went wrong in the last 2 hours',
    'list the errors of shop in production',
    'error history',
    'any errors lately',
  ],
  input: z.object({
    project: optionalProject('Left out: all'),
    environment: OptionalEnvironment.describe('Left out: all'),
    hours: z.coerce
      .number()
      .int()
      .min(1)
      .max(30 * 24)
      .default(24)
      .describe('How many hours back'),
    since: z.string().trim().min(1).max(60).optional().describe('Or since when: monday, yesterday, 09:00 (UTC)'),
  }),
  ...READ_DEFAULTS,
  role: 'viewer',
  deadlineMs: 10_000,
  run: async ({ project, environment, hours: back, since: written }, { ports, now }) => {
    if (project !== undefined) await ports.projects.get(project);
    const since = written === undefined ? new Date(now().getTime() - back * HOUR_MS) : requireSince(written, now());
    // Of a time that was said in hours, the moments since then are no hour more.
    const hours = Math.max(1, Math.ceil((now().getTime() - since.getTime() - MINUTE_MS) / HOUR_MS));
    const filter = { since, ...(project ? { project } : {}), ...(environment ? { environment } : {}) };
    const groups = await ports.errorHistory.groups(filter, GROUPS);
    const open = (await ports.errorHistory.incidents()).filter(({ subject }) => isAbout(subject, project, environment));
    return {
      hours,
      groups: groups.map(({ sample, firstSeen, lastSeen, ...group }) => ({
        ...group,
        sample,
        first_seen: firstSeen.toISOString(),
        last_seen: lastSeen.toISOString(),
        last_ago: sayAgo(lastSeen, now()),
      })),
      broken_now: open.map(({ subject, detail, openedAt }) => ({ subject, detail, since: openedAt.toISOString() })),
    };
  },
  phrases: {
    done: ({ groups, hours, broken_now: broken }, { project }) => {
      const about = { isAll: project === undefined, project: project ?? '', hours };
      const now = broken.map(
        ({ subject, detail }) =>
          `- ${say('diagnose.brokenNow', { subject: subject.replace(/^service:|^server:/, ''), detail })}`,
      );
      if (groups.length === 0) return [say('diagnose.noErrors', about), ...now].join('\n\n');
      const lines = groups.slice(0, SHOWN).map(
        ({ sample, count: times, last_ago: last, release, source, ...of }) =>
          `- ${say('diagnose.errorGroup', {
            times,
            last,
            project: of.project,
            environment: of.environment,
            source,
            hasRelease: release !== null,
            release: formatCode(release ?? ''),
            sample: formatCode(sample.slice(0, 160)),
          })}`,
      );
      const more = groups.length > SHOWN ? [`- ${say('diagnose.moreKinds', { count: groups.length - SHOWN })}`] : [];
      return [say('diagnose.errors', about), '', ...now, ...lines, ...more].join('\n');
    },
  },
}).from({
  hours: 'runtime',
  groups: {
    project: 'name',
    environment: 'runtime',
    release: 'ref',
    source: 'runtime',
    count: 'runtime',
    sample: 'outside',
    fingerprint: 'runtime',
    first_seen: 'runtime',
    last_seen: 'runtime',
    last_ago: 'runtime',
  },
  broken_now: { subject: 'name', detail: 'outside', since: 'runtime' },
});
