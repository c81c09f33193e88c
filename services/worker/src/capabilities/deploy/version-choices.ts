import { Environment, ProjectName } from '@signalbox/contracts/conversation/fields';
import type { ArgumentChoices } from '../../tools/tool.ts';
import { Version } from './fields.ts';
import { requireRepository } from './plan.ts';

/** The environment used to look up versions when none is given: versions are the same in every environment. */
const ANYWHERE = 'staging';

/** The versions of a project that can be deployed: its newest tags, newest first, then its main branch. */
export const versionChoices: ArgumentChoices = {
  list: async ({ project: named }, { ports, work }) => {
    const project = ProjectName.safeParse(named).data;
    if (project === undefined) return [];
    await requireRepository(ports, project);
    const { tags, branch, planProblem } = await work('repository.look', { project });
    // The main branch is offered only when Signalbox can start it.
    const names = [...tags, ...(planProblem === null && branch !== null ? [branch] : [])];
    return names.filter((name) => Version.safeParse(name).success);
  },
  has: async ({ project: named, environment: where }, ref, { ports, work }) => {
    const project = ProjectName.safeParse(named).data;
    if (project === undefined || !Version.safeParse(ref).success) return false;
    await requireRepository(ports, project);
    const environment = Environment.safeParse(where).data ?? ANYWHERE;
    const request = { project, environment, ref, server: null, fromArtifact: null, planOnly: true };
    return (await work('deploy.check', request)).plan !== null;
  },
};
