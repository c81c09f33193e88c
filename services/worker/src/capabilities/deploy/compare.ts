import { z } from 'zod';
import { Environment, ProjectName } from '@signalbox/contracts/conversation/fields';
import { AppError } from '@signalbox/contracts/errors';
import { toCodeBlock } from '@signalbox/contracts/markdown';
import { toPlainName } from '@signalbox/contracts/plain-name';
import { RepositoryPath, type RepositoryCompareResult } from '@signalbox/contracts/repository/reading';
import { isGitRef } from '@signalbox/contracts/repository/ref';
import { formatCode } from '@signalbox/messages/format-code';
import { sayList } from '@signalbox/messages/list';
import { say } from '@signalbox/messages/say';
import { READ_DEFAULTS, tool, type ToolContext } from '../../tools/tool.ts';
import { versionChoices } from '../../tools/version-choices.ts';
import { requireRepository } from './plan.ts';

type Ports = ToolContext['ports'];
type ReleaseRow = NonNullable<Awaited<ReturnType<Ports['releases']['named']>>>;

/** The commits that a person is shown; the model gets 30. */
const SHOWN = 10;

const Side = (what: string) =>
  z
    .string()
    .trim()
    .refine(isGitRef, 'name an environment, or a version: a tag, a branch, a commit or a release')
    .optional()
    .describe(what);

/** One side of a comparison: a version, and its time in an environment when it was deployed. */
interface Compared {
  readonly version: string;
  readonly ran: ReleaseRow | null;
}

export const compareReleases = tool({
  describe: 'Compare two releases or environments: commits, files, variables, when each ran and how healthy it was.',
  hints: [
    'compare production and staging of shop',
    'what is new on staging of shop compared with production',
    'which commits are between 1.1 and 1.2 of shop',
    'difference between releases 1.0 and 1.1 of blog',
    'compare the releases 1.1 and 1.2 of shop',
    'what would change in production of shop with 1.2',
    'what changed in src/server.js of shop between 1.1 and 1.2',
  ],
  input: z.object({
    project: ProjectName,
    before: Side('Environment or version to compare from; what runs in production when left out'),
    after: Side('Environment or version to compare with; the newest on staging when left out'),
    path: RepositoryPath.optional().describe('File or folder whose changed lines are shown'),
  }),
  choices: { before: versionChoices, after: versionChoices },
  ...READ_DEFAULTS,
  egress: true,
  resources: ({ project }) => [`project:${project}`],
  deadlineMs: 30_000,
  run: async ({ project, path, ...named }, { ports, work }) => {
    await requireRepository(ports, project);
    const [from, to] = chooseSides(named);
    const [before, after] = [await findSide(ports, project, from), await findSide(ports, project, to)];
    const sides = { project, before: refOf(before), after: refOf(after) };
    const worked = await work('repository.compare', path === undefined ? sides : { ...sides, path });
    const code = worked.kind === 'goes-on' ? { kind: 'goes-on' as const } : toCode(worked.result);
    const variables = before.ran && after.ran ? await ports.releases.compareVariables(before.ran, after.ran) : null;
    return { project, before: describeSide(before), after: describeSide(after), variables, code };
  },
  phrases: {
    done: ({ project, before, after, variables, code }) => {
      const title = say('deploy.compared', {
        project,
        before: formatCode(before.version),
        after: formatCode(after.version),
      });
      return [title, [saySide(before), saySide(after)].join('\n'), sayCode(code), sayVariables(variables)]
        .flat()
        .join('\n\n');
    },
  },
}).from({
  project: 'name',
  before: sideOrigins(),
  after: sideOrigins(),
  variables: { onlyBefore: 'name', onlyAfter: 'name', different: 'name' },
  code: {
    kind: 'runtime',
    problem: 'outside',
    before: 'runtime',
    after: 'runtime',
    added: { commit: 'runtime', at: 'runtime', text: 'outside' },
    addedTotal: 'runtime',
    removed: { commit: 'runtime', at: 'runtime', text: 'outside' },
    removedTotal: 'runtime',
    filesChanged: 'runtime',
    files: 'outside',
    diff: { text: 'outside', totalLines: 'runtime' },
  },
});

function sideOrigins() {
  return {
    version: 'ref',
    release: 'ref',
    deployment: 'runtime',
    environment: 'runtime',
    state: 'runtime',
    servedFrom: 'runtime',
    servedUntil: 'runtime',
    isServing: 'runtime',
    verdict: 'runtime',
    errors: 'runtime',
    incidents: 'runtime',
  } as const;
}

/** One name alone is compared with production; production alone with staging. */
function chooseSides({ before, after }: { readonly before?: string | undefined; readonly after?: string | undefined }) {
  if (before !== undefined && after !== undefined) return [before, after] as const;
  const only = before ?? after ?? 'staging';
  return ['production', only === 'production' ? 'staging' : only] as const;
}

/** Throws NOTHING_SERVES for an environment in which nothing has served. */
async function findSide({ releases }: Ports, project: string, name: string): Promise<Compared> {
  const environment = Environment.safeParse(name.toLowerCase()).data;
  if (environment === undefined) return { version: name, ran: await releases.named(project, name) };
  const ran = await releases.ofEnvironment({ project, environment });
  if (ran === null) throw new AppError('NOTHING_SERVES', { project, environment, act: 'compare' });
  return { version: ran.ref, ran };
}

/** A commit that was deployed stays comparable when its tag has moved. */
function refOf({ version, ran }: Compared): string {
  return ran?.commit ?? version;
}

function describeSide({ version, ran }: Compared) {
  if (ran === null)
    return { version, release: null, deployment: null, environment: null, state: null, isServing: false };
  const { deploymentId: deployment, release, environment, state, isServing, verdict, errors, incidents } = ran;
  return {
    version,
    release,
    deployment,
    environment,
    state,
    servedFrom: ran.servedFrom?.toISOString() ?? null,
    servedUntil: ran.servedUntil?.toISOString() ?? null,
    isServing,
    verdict,
    errors,
    incidents,
  };
}

function saySide(side: ReturnType<typeof describeSide>): string {
  const minute = (at: string | null | undefined): string => at?.slice(0, 16).replace('T', ' ') ?? '';
  return `- ${say('deploy.comparedSide', {
    version: formatCode(side.version),
    ran: howItRan(side),
    environment: side.environment ?? '',
    from: minute(side.servedFrom),
    hasUntil: side.servedUntil != null,
    until: minute(side.servedUntil),
    errors: side.errors ?? 0,
    incidents: side.incidents ?? 0,
  })}`;
}

function howItRan({ environment, servedFrom, isServing }: ReturnType<typeof describeSide>) {
  if (environment === null) return 'never';
  if (servedFrom == null) return 'failed';
  return isServing ? 'now' : 'before';
}

/** Subject and author of a commit are one text: an envelope for each of them would take more tokens than they do. */
function toCode(result: RepositoryCompareResult) {
  if (result.kind === 'unread') return { kind: result.kind, problem: result.problem };
  const toText = ({ commit, at, subject, author }: (typeof result.added)[number]) => ({
    commit,
    at,
    text: `${subject} (${author})`,
  });
  // So is the list of files.
  const files = result.files.map(({ path, added, removed }) => `${path} ${sayChange(added, removed)}`).join('\n');
  return { ...result, added: result.added.map(toText), removed: result.removed.map(toText), files };
}

/** `+3 −1`; a file that is no text has no lines. */
function sayChange(added: number | null, removed: number | null): string {
  return added === null || removed === null ? '(binary)' : `+${added} −${removed}`;
}

function sayCode(code: ReturnType<typeof toCode> | { readonly kind: 'goes-on' }): string {
  if (code.kind === 'goes-on') return say('repository.stillReading');
  if (code.kind === 'unread') return code.problem;
  const { added, addedTotal, removed, removedTotal, filesChanged, files, diff } = code;
  const commits = addedTotal > 0 ? added : removed;
  const lines = commits.slice(0, SHOWN).map(({ commit, text }) => `- \`${commit.slice(0, 7)}\` ${toPlainName(text)}`);
  const more = Math.max(addedTotal > 0 ? addedTotal : removedTotal, 0) - lines.length;
  const title = say('deploy.comparedCode', { added: addedTotal, removed: removedTotal, files: filesChanged });
  const listed = [title, ...lines, ...(more > 0 ? [`- ${say('deploy.moreCommits', { count: more })}`] : [])].join('\n');
  return [listed, ...(diff ? [toCodeBlock(diff.text), sayRest(diff)] : [sayFiles(files, filesChanged)])]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** The files with the most changed lines; a person asks for the lines of one of them. */
function sayFiles(files: string, total: number): string {
  const shown = files.split('\n').filter(Boolean).slice(0, SHOWN);
  const lines = shown.map((line) => `- ${toPlainName(line)}`);
  const more = total - shown.length;
  return [...lines, ...(more > 0 ? [`- ${say('deploy.moreFiles', { count: more })}`] : [])].join('\n');
}

function sayRest({ text, totalLines }: { readonly text: string; readonly totalLines: number }): string {
  const shown = text === '' ? 0 : text.split('\n').length;
  if (totalLines === 0) return say('deploy.sameLines');
  return shown < totalLines ? say('deploy.moreLines', { shown, total: totalLines }) : '';
}

function sayVariables(variables: Awaited<ReturnType<Ports['releases']['compareVariables']>> | null): readonly string[] {
  if (variables === null) return [];
  const { onlyBefore, onlyAfter, different } = variables;
  if (onlyBefore.length + onlyAfter.length + different.length === 0) return [say('deploy.sameVariables')];
  const names = (list: readonly string[]): string => sayList(list.map((name) => formatCode(toPlainName(name))));
  return [
    say('deploy.otherVariables', {
      hasBefore: onlyBefore.length > 0,
      before: names(onlyBefore),
      hasAfter: onlyAfter.length > 0,
      after: names(onlyAfter),
      hasDifferent: different.length > 0,
      different: names(different),
    }),
  ];
}
