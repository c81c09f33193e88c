import { z } from 'zod';
import { ProjectName } from '@signalbox/contracts/conversation/fields';
import { ProjectTag } from '@signalbox/contracts/repository/tag';
import { say } from '@signalbox/messages/say';
import { CHANGE_DEFAULTS, tool, type ToolContext } from '../../tools/tool.ts';

const About = z.object({ project: ProjectName, tag: ProjectTag.meta({ entity: 'name', ask: 'Which tag?' }) });
type About = z.output<typeof About>;

const COMMON = {
  input: About,
  ...CHANGE_DEFAULTS,
  resources: ({ project }: About) => [`project:${project}`],
  deadlineMs: 10_000,
  probe: async ({ project }: About, { ports, wrote }: ToolContext) =>
    (await wrote())
      ? { kind: 'done' as const, output: { tags: await ports.repositories.tags.list(project) } }
      : { kind: 'not-done' as const },
} as const;

export const tagProject = tool({
  describe: 'Give a project a tag by which people find it among others.',
  hints: [
    'tag shop as payments',
    'add the tag payments to shop',
    'label blog as internal',
    'give shop the tag payments',
    'tag the project blog as frontend',
    'tag shop with on-call',
  ],
  ...COMMON,
  run: async (about, context) => ({ tags: await context.ports.repositories.tags.give(decisionOf(about, context)) }),
  phrases: {
    order: (about) => say('findings.tagOrder', about),
    done: ({ tags }, about) => say('findings.tagged', { ...about, ...others(tags, about) }),
  },
}).from({ tags: 'name' });

/** Removal is a separate tool, so that the word “remove” in a request states the action, whatever the conversation read before. */
export const removeTag = tool({
  describe: 'Remove a tag from a project.',
  hints: [
    'remove the tag payments from shop',
    'delete the tag payments of shop',
    'remove the payments tag from blog',
    'drop the tag internal from blog',
    'remove tag frontend from the project blog',
    'drop the frontend tag of blog',
  ],
  ...COMMON,
  run: async (about, context) => ({ tags: await context.ports.repositories.tags.take(decisionOf(about, context)) }),
  phrases: {
    order: (about) => say('findings.untagOrder', about),
    done: ({ tags }, about) => say('findings.untagged', { ...about, ...others(tags, about) }),
  },
}).from({ tags: 'name' });

function decisionOf({ project, tag }: About, { actor, actionId, threadId }: ToolContext) {
  return { project, tag, userKey: actor.userKey, actionId, threadId };
}

function others(tags: readonly string[], { tag }: About) {
  return { others: tags.filter((one) => one !== tag).length, tags: tags.join(', ') };
}
