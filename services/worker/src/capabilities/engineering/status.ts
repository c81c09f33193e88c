import { z } from 'zod';
import { ProjectName } from '@signalbox/contracts/conversation/fields';
import { AppError } from '@signalbox/contracts/errors';
import { say } from '@signalbox/messages/say';
import { LOOK_UP_DEFAULTS, READ_DEFAULTS, tool } from '../../tools/tool.ts';
import { ChangeNumber, sayChange, toLine } from './fields.ts';

/** Steps of the story that a model and a person read at once: the newest ones. */
const SHOWN_STEPS = 20;

export const getEngineeringStatus = tool({
  describe: 'Tell how a change of code stands: its state, the question that is open, and what each node did.',
  hints: [
    'how is the code change going',
    'status of change 4',
    'what is the state of the code change of shop',
    'is the change of the code ready',
    'show the steps of change 12',
    'what did the executor do in change 4',
  ],
  input: z.object({ change: ChangeNumber }),
  ...LOOK_UP_DEFAULTS,
  run: async ({ change: id }, { ports, actor }) => {
    const change = await ports.engineering.get(id ?? null, actor.userKey);
    const steps = await ports.engineering.steps(change.changeId);
    return {
      change: change.changeId,
      project: change.project,
      state: change.state,
      says: sayChange(change),
      tokens: steps.reduce((sum, step) => sum + step.inputTokens + step.outputTokens, 0),
      steps: steps.length,
      newest: steps.slice(-SHOWN_STEPS).map(({ n, node, kind, content, inputTokens, outputTokens }) => ({
        n,
        node,
        what: describeStep(kind, content),
        tokens: inputTokens + outputTokens,
      })),
    };
  },
  phrases: {
    done: ({ says, newest }) =>
      [
        says,
        newest.map(({ n, node, what }) => `${n}. ${say('engineering.node', { node })}: ${toLine(what)}`).join('\n'),
      ]
        .filter((part) => part !== '')
        .join('\n\n'),
  },
}).from({
  change: 'runtime',
  project: 'name',
  state: 'runtime',
  says: 'outside',
  tokens: 'runtime',
  steps: 'runtime',
  newest: { n: 'runtime', node: 'runtime', what: 'outside', tokens: 'runtime' },
});

export const viewLatestPr = tool({
  describe:
    'Show the newest pull request that came of a change of code in a project: state, checks, whether it can be merged.',
  hints: [
    'show the latest pull request of shop',
    'view the latest pr of shop',
    'what is the newest merge request of blog',
    'how is the pull request of shop',
    'are the checks of the pull request of shop green',
    'link to the last pr of blog',
  ],
  input: z.object({ project: ProjectName }),
  ...READ_DEFAULTS,
  role: 'viewer',
  resources: ({ project }) => [`project:${project}`],
  deadlineMs: 30_000,
  run: async ({ project }, context) => {
    await context.ports.projects.get(project);
    const newest = (await context.ports.engineering.list({ project }, 50)).find(({ outcome }) => outcome !== null);
    if (!newest?.outcome) throw new AppError('NOT_FOUND', { kind: 'published change', name: project, known: 'none' });
    const { changeId, outcome } = newest;
    const looked = await context.work('engineering.look', { changeId, project });
    const { title, branch, number, url, repository, forge, commit } = outcome;
    const seen = looked.kind === 'done' ? looked.result : null;
    return {
      change: changeId,
      project,
      title,
      branch,
      commit,
      forge,
      number,
      url,
      repository,
      state: seen?.state ?? 'unknown',
      canMerge: seen?.canMerge ?? null,
      checks: seen?.checks ?? 'none',
      failed: seen?.failed ?? [],
      problem: seen?.problem ?? null,
    };
  },
  phrases: {
    done: ({ project, title, branch, number, url, state, canMerge, checks, failed, problem }) =>
      [
        say('engineering.pr', {
          project,
          title: toLine(title),
          branch,
          hasNumber: number !== null,
          number: String(number ?? ''),
          state,
          checks,
          failed: failed.map(toLine).join(', '),
          isBlocked: canMerge === false,
        }),
        url ?? '',
        problem === null ? '' : toLine(problem),
      ]
        .filter((part) => part !== '')
        .join('\n'),
  },
}).from({
  change: 'runtime',
  project: 'name',
  title: 'outside',
  branch: 'outside',
  commit: 'runtime',
  forge: 'runtime',
  number: 'runtime',
  url: 'runtime',
  repository: 'runtime',
  state: 'runtime',
  canMerge: 'runtime',
  checks: 'runtime',
  failed: 'outside',
  problem: 'outside',
});

/** What happened in a step, in words that its content has. */
function describeStep(kind: string, content: unknown): string {
  const seen = Content.safeParse(content).data ?? {};
  if (seen.calls) {
    const calls = seen.calls.map(({ name, args }) => {
      const about =
        args['path'] ?? args['folder'] ?? args['text'] ?? args['title'] ?? args['question'] ?? args['reason'] ?? '';
      return about === '' ? name : `${name} ${String(about).slice(0, 80)}`;
    });
    return calls.join(', ') || String(seen.text ?? '').slice(0, 120);
  }
  if (seen.checks) return seen.checks.map(({ command, exitCode }) => `${command} (${exitCode})`).join(', ');
  if (seen.title !== undefined) return seen.title;
  return seen.text ?? kind;
}

const Content = z.object({
  text: z.string().optional(),
  title: z.string().optional(),
  calls: z.array(z.object({ name: z.string(), args: z.record(z.string(), z.unknown()) })).optional(),
  checks: z.array(z.object({ command: z.string(), exitCode: z.number() })).optional(),
});
