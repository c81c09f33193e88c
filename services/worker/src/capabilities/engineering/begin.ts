import { z } from 'zod';
import type { ChangeSource } from '@signalbox/contracts/engineering/change';
import { ProjectName } from '@signalbox/contracts/conversation/fields';
import { AppError } from '@signalbox/contracts/errors';
import { say } from '@signalbox/messages/say';
import { CHANGE_DEFAULTS, tool, type ToolContext } from '../../tools/tool.ts';
import { ChangeNumber, sayChange } from './fields.ts';

const DEADLINE_MS = 10_000;
const MAX_TASK_LENGTH = 8_000;

export const triggerEngineering = tool({
  describe:
    'Change the code of a project: plans, edits and tests in a sandbox and shows the diff for approval; nothing is published before.',
  hints: [
    'add a health endpoint to the code of shop',
    'implement dark mode in the code of blog',
    'fix the bug in the code of shop where the cart is empty',
    'change the code of shop so that prices have two decimals',
    'write tests for the code of blog',
    'refactor the code of shop',
  ],
  input: z.object({
    project: ProjectName,
    task: z
      .string()
      .trim()
      .min(5)
      .max(4_000)
      .optional()
      .describe('What to change; left out: the person’s own words')
      .meta({ entity: 'text', ask: 'What should be changed in the code?', isAsked: true }),
  }),
  ...CHANGE_DEFAULTS,
  hasSpokenReceipt: true,
  resources: ({ project }) => [`project:${project}`],
  deadlineMs: DEADLINE_MS,
  run: async ({ project, task }, context) => {
    const text = task ?? (await context.ports.engineering.words({ actionId: context.actionId }));
    if (text === null) throw refuse(say('engineering.taskMissing'));
    return begin(context, project, { kind: 'task', text: text.slice(0, MAX_TASK_LENGTH) });
  },
  probe: async (_input, context) => probe(context),
  phrases: {
    order: ({ project, task }) => say('engineering.order', { project, hasTask: task !== undefined, task: task ?? '' }),
    done: ({ change, project }) => say('engineering.started', { change: String(change), project }),
  },
}).from({ change: 'runtime', project: 'name' });

export const fixFinding = tool({
  describe: 'Fix a finding of a scan by rules, without a model: shows the diff for approval.',
  hints: [
    'fix finding 12 of shop',
    'repair finding 7 of blog',
    'fix the finding 3 of shop',
    'make a fix for finding 12 of shop',
    'mend finding 5 of blog',
    'solve finding 9 of shop',
  ],
  input: z.object({
    project: ProjectName,
    finding: z.coerce
      .number()
      .int()
      .min(1)
      .max(999_999_999)
      .describe('Number of the finding, as lists show it')
      .meta({ ask: 'Which finding?' }),
  }),
  ...CHANGE_DEFAULTS,
  hasSpokenReceipt: true,
  resources: ({ project }) => [`project:${project}`],
  deadlineMs: DEADLINE_MS,
  run: async ({ project, finding }, context) => {
    const found = await context.ports.repositories.findings.get(project, String(finding));
    return begin(context, project, { kind: 'finding', findingId: found.findingId });
  },
  probe: async (_input, context) => probe(context),
  phrases: {
    order: ({ project, finding }) => say('engineering.fixOrder', { project, finding: String(finding) }),
    done: ({ change, project }) => say('engineering.started', { change: String(change), project }),
  },
}).from({ change: 'runtime', project: 'name' });

export const answerEngineering = tool({
  describe: 'Give the person’s answer to the question of a change of code; the change then goes on.',
  hints: [
    'answer the question of change 4: use port 8080',
    'tell the code change to use the second way',
    'the answer for change 4 is yes',
    'my answer to the code change is to keep it',
    'answer change 12',
    'reply to the question of the code change',
  ],
  input: z.object({
    answer: z
      .string()
      .trim()
      .min(1)
      .max(2_000)
      .describe('The answer, in the person’s own words')
      .meta({ entity: 'text', ask: 'What is your answer?' }),
    change: ChangeNumber,
  }),
  ...CHANGE_DEFAULTS,
  hasSpokenReceipt: true,
  deadlineMs: DEADLINE_MS,
  run: async ({ answer, change: id }, context) => {
    const { ports, actor, actionId, threadId } = context;
    const asking = id === undefined ? await ports.engineering.findAsking(actor.userKey, threadId) : null;
    const change = asking ?? (await ports.engineering.get(id ?? null, actor.userKey));
    requireOwn(change, actor.userKey);
    if (!(await ports.engineering.answer(change.changeId, { text: answer, runId: actionId })))
      throw refuse(say('engineering.asksNothing', { state: sayChange(change).replaceAll('**', '') }));
    await context.enqueue('engineering.change', { changeId: change.changeId, project: change.project, ref: 'HEAD' });
    return { change: change.changeId, project: change.project };
  },
  probe: async (_input, context) => probe(context),
  phrases: {
    order: ({ answer }) => say('engineering.answerOrder', { answer }),
    done: ({ change, project }) => say('engineering.answered', { change: String(change), project }),
  },
}).from({ change: 'runtime', project: 'name' });

async function begin(context: ToolContext, project: string, source: ChangeSource) {
  const { ports, actor, actionId, threadId } = context;
  const { repository } = await ports.projects.get(project);
  if (repository === null) throw new AppError('REPOSITORY_MISSING', { project });
  const { changeId } = await ports.engineering.begin({ actionId, project, source, userKey: actor.userKey, threadId });
  await context.enqueue('engineering.change', { changeId, project, ref: 'HEAD' });
  return { change: changeId, project };
}

async function probe({ ports, actionId, wrote }: ToolContext) {
  if (!(await wrote())) return { kind: 'not-done' as const };
  const change = await ports.engineering.findByRun(actionId);
  if (!change) return { kind: 'unknown' as const };
  return { kind: 'done' as const, output: { change: change.changeId, project: change.project } };
}

function requireOwn({ changeId, userKey }: { readonly changeId: number; readonly userKey: string }, by: string): void {
  if (userKey !== by) throw refuse(say('engineering.ofAnother', { change: String(changeId) }));
}

function refuse(detail: string): AppError {
  return new AppError('CONFLICT', { detail });
}
