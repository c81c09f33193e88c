import { z } from 'zod';
import { DeployState } from '@signalbox/contracts/operations/deploy';
import { toPlainName } from '@signalbox/contracts/plain-name';
import { sayDeployState } from '@signalbox/messages/deploy-state';
import { say } from '@signalbox/messages/say';
import { LOOK_UP_DEFAULTS, optionalProject, tool, type ToolContext } from '../../tools/tool.ts';
import { formatCode, sayAgo } from './sentences.ts';
import { requireSince } from '../../tools/arguments/since.ts';

type Change = Awaited<ReturnType<ToolContext['ports']['changes']['list']>>['changes'][number];

/** About 2,000 tokens. */
const SHOWN = 30;

/** Everybody who may read sees every project, so all changes are shown; what people do for themselves is not among them. */
export const whatChanged = tool({
  describe:
    'Tell what changed since a time, across all people: deployments, stops, variables, approvals, incidents, servers, policies.',
  hints: [
    'what changed since yesterday',
    'what has changed in the last 2 hours',
    'what changed on shop since this morning',
    'which changes were there today',
    'who changed the variables of shop',
    'who froze the changes',
    'what did the others change since monday',
    'changes of shop in the last 3 days',
  ],
  input: z.object({
    since: z
      .string()
      .trim()
      .min(1)
      .max(60)
      .default('24 hours')
      .describe('Since when: 2 hours, today, yesterday, monday, 09:00 (UTC) or 2026-11-27T09:00Z'),
    until: z.string().trim().min(1).max(60).optional().describe('Until when, as since'),
    project: optionalProject('Left out: all'),
  }),
  ...LOOK_UP_DEFAULTS,
  resources: ({ project }) => (project === undefined ? [] : [`project:${project}`]),
  run: async ({ since: written, until: end, project }, { ports, now }) => {
    const since = requireSince(written, now());
    const until = end === undefined ? null : requireSince(end, now());
    if (project !== undefined) await ports.projects.get(project);
    const { changes, total } = await ports.changes.list(
      { since, until, ...(project === undefined ? {} : { project }) },
      SHOWN,
    );
    return {
      since: since.toISOString(),
      changes: changes.map(({ at, ...change }) => ({
        at: at.toISOString(),
        ago: sayAgo(at, now()),
        ...omitNulls(change),
      })),
      total,
      more: total - changes.length,
    };
  },
  phrases: {
    done: ({ since, changes, total, more }, { project }) => {
      const values = {
        since: since.slice(0, 16).replace('T', ' '),
        isAll: project === undefined,
        project: project ?? '',
      };
      if (total === 0) return say('diagnose.noChanges', values);
      const lines = changes.map((change) => `- ${toSentence(change)}`);
      const rest = more > 0 ? [`- ${say('diagnose.moreChanges', { count: more })}`] : [];
      return [say('diagnose.changes', { ...values, total }), '', ...lines, ...rest].join('\n');
    },
  },
}).from({
  since: 'runtime',
  changes: {
    at: 'runtime',
    ago: 'runtime',
    kind: 'runtime',
    project: 'name',
    environment: 'runtime',
    name: 'name',
    version: 'ref',
    state: 'runtime',
    by: 'name',
    what: 'outside',
  },
  total: 'runtime',
  more: 'runtime',
});

type Told<T> = { readonly [K in keyof T]?: NonNullable<T[K]> };

/** Rows without their empty fields take half of the tokens. */
function omitNulls<T extends object>(row: T): Told<T> {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as Told<T>; // only null is left out
}

function toSentence(change: Told<Omit<Change, 'at'>> & { readonly ago: string }): string {
  const { ago, kind = 'policy', project, environment, name, version, state, by, what } = change;
  const deployState = DeployState.safeParse(state);
  return say('diagnose.change', {
    ago,
    kind,
    project: toPlainName(project ?? ''),
    environment: environment ?? '',
    isOfServer: project === undefined,
    name: formatCode(name ?? ''),
    version: formatCode(version ?? ''),
    state: deployState.success ? sayDeployState(deployState.data) : (state ?? ''),
    hasBy: by !== undefined,
    by: toPlainName(by ?? ''),
    hasWhat: what !== undefined,
    what: toPlainName(what ?? ''),
  });
}
