import type { ChainFetch } from '@signalbox/contracts/repository/chain-run';
import { AppError } from '@signalbox/contracts/errors';
import { explain, say } from '@signalbox/messages/say';
import type { createProjects } from '@signalbox/store/deploy/projects';
import { repositoryOf } from '../git/repository-login.ts';
import type { Sources } from '../git/sources.ts';
import type { HandlerOf } from '../runner/handlers.ts';

/** Fetches the repository of a project for a chain, whose process opens no secrets. An unreadable repository is a result, not a failure. */
export function createRepositoryFetch(
  sources: Pick<Sources, 'fetch'>,
  projects: Pick<ReturnType<typeof createProjects>, 'get'>,
): HandlerOf<'repository.fetch'> {
  return {
    title: () => say('jobs.repositoryChain'),
    async run({ project, ref }, { openSecret, signal }): Promise<ChainFetch> {
      try {
        const repository = repositoryOf(await projects.get(project), openSecret);
        if (repository === null) throw new AppError('REPOSITORY_MISSING', { project });
        const { mirror, commit, folder } = await sources.fetch(repository, ref, signal);
        return { mirror, commit, folder, problem: null };
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof AppError)) throw error;
        return { mirror: null, commit: null, folder: null, problem: explain(error).slice(0, 2_000) };
      }
    },
    // The chain reports at its end.
    say: () => '',
  };
}
