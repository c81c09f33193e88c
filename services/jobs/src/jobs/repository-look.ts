import { AppError } from '@signalbox/contracts/errors';
import { sayList } from '@signalbox/messages/list';
import { explain, say } from '@signalbox/messages/say';
import type { createProjects } from '@signalbox/store/deploy/projects';
import type { DeployParts } from '../deploy/parts.ts';
import { repositoryOf } from '../deploy/source/repository-login.ts';
import type { HandlerOf } from '../runner/handlers.ts';

/** Reads the repository of a project, so that what is wrong with it is told before a deployment; that is an answer, not a failure. */
export function createRepositoryLook(
  parts: Pick<DeployParts, 'sources'>,
  projects: Pick<ReturnType<typeof createProjects>, 'get'>,
): HandlerOf<'repository.look'> {
  return {
    title: () => say('jobs.lookingAtARepository'),
    async run({ project }, context) {
      const nothing = { project, branch: null, main: null, tags: [] };
      try {
        const repository = repositoryOf(await projects.get(project), context.openSecret);
        if (repository === null) throw new AppError('REPOSITORY_MISSING', { project });
        const { tags, ...found } = await parts.sources.look(repository, context.signal);
        return { project, problem: null, ...found, tags: [...tags] };
      } catch (error) {
        context.signal.throwIfAborted();
        if (!(error instanceof AppError)) throw error;
        return { ...nothing, problem: explain(error).slice(0, 2_000) };
      }
    },
    say: ({ problem, main, tags }) =>
      problem ??
      say('repository.read', {
        hasMain: main !== null,
        commit: main?.slice(0, 7) ?? '',
        hasTags: tags.length > 0,
        tags: sayList(tags),
      }),
    isNotable: () => true,
  };
}
