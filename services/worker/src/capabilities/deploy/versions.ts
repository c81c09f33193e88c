import { ProjectName } from '@signalbox/contracts/conversation/fields';
import {
  createVersionButtons,
  describeRepository,
  listVersions,
  SUMMARY_PENDING,
} from '@signalbox/messages/repository-look';
import { say } from '@signalbox/messages/say';
import { z } from 'zod';
import { optionalEnvironment, READ_DEFAULTS, tool } from '../../tools/tool.ts';
import { requireRepository } from './plan.ts';

const NEWEST = 3;

export const readRepository = tool({
  describe: 'Read the repository of a project: its tags and what could be deployed of it, as buttons.',
  hints: [
    'read the repository of shop',
    'which tags are in the repository of shop',
    'list the tags of the shop repository',
    'what is in the repository of blog',
    'tags of the repository of blog',
    'tags in the repo of shop',
  ],
  input: z.object({
    project: ProjectName,
    environment: optionalEnvironment('Where it is to go; staging unless said otherwise', 'In which environment?'),
  }),
  ...READ_DEFAULTS,
  egress: true,
  deadlineMs: 15_000,
  run: async ({ project }, { ports, work }) => {
    await requireRepository(ports, project);
    const worked = await work('repository.look', { project });
    const look = worked.kind === 'goes-on' ? SUMMARY_PENDING : worked.result;
    return { project, newest: listVersions(look)[0] ?? null, look };
  },
  phrases: {
    done: ({ look }, { environment = 'staging' }) => {
      if (look.planProblem !== null) return describeRepository(look).join(' ');
      const isAny = (look.tags?.length ?? 0) > 0 || look.branch !== null;
      return [...describeRepository(look), ...(isAny ? [say('deploy.whichVersion', { environment })] : [])].join(' ');
    },
    next: ({ project, look }, { environment = 'staging' }) => createVersionButtons(project, look, environment, NEWEST),
  },
}).from({
  project: 'name',
  // A call for “newest” would mean this version too.
  newest: 'ref',
  look: {
    project: 'name',
    main: 'outside',
    branch: 'outside',
    tags: 'outside',
    plan: 'outside',
    planProblem: 'outside',
    problem: 'outside',
  },
});
