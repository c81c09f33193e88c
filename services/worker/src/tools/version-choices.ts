import { Environment, ProjectName } from '@signalbox/contracts/conversation/fields';
import { isGitRef } from '@signalbox/contracts/repository/ref';
import { listVersions } from '@signalbox/messages/repository-look';
import type { ArgumentChoices, ResolveContext } from './tool.ts';

/** The environment used to look up versions when none is given: versions are the same in every environment. */
const ANYWHERE = 'staging';

/** The versions of a project that can be deployed: its newest tags, newest first, then its main branch. */
export const versionChoices: ArgumentChoices = {
  list: async ({ project: named }, look) => {
    const project = await findReadable(named, look);
    if (project === null) return [];
    return listVersions(await look.work('repository.look', { project })).filter(isGitRef);
  },
  has: async ({ project: named, environment: where }, ref, look) => {
    const project = await findReadable(named, look);
    if (project === null || !isGitRef(ref)) return false;
    const environment = Environment.safeParse(where).data ?? ANYWHERE;
    const request = { project, environment, ref, server: null, fromArtifact: null, planOnly: true };
    return (await look.work('deploy.check', request)).plan !== null;
  },
};

/** The project, if it has a repository. Throws NOT_FOUND. */
async function findReadable(named: unknown, { ports }: Pick<ResolveContext, 'ports'>): Promise<string | null> {
  const project = ProjectName.safeParse(named).data;
  if (project === undefined) return null;
  return (await ports.projects.get(project)).repository === null ? null : project;
}
