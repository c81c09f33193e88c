import type { JobName, JobPayload, JobResult } from '@signalbox/contracts/operations/jobs';
import { AppError } from '@signalbox/contracts/errors';
import { toErrorCause } from '@signalbox/contracts/operations/error-cause';
import type { Unread } from '@signalbox/contracts/repository/reading';
import { explainError, say } from '@signalbox/messages/say';
import type { createProjectStore } from '@signalbox/store/deploy/projects';
import { compareCommits } from '../git/commit-compare.ts';
import { readCommitPath, type CommitReadDeps } from '../git/commit-files.ts';
import { searchCommit } from '../git/commit-search.ts';
import { toRepository, type Repository } from '../git/repository-login.ts';
import type { FetchedCommit, SourceStore } from '../git/sources.ts';
import type { HandlerOf, JobContext } from '../runner/handlers.ts';

type ReadingJob = Extract<JobName, 'repository.file' | 'repository.search' | 'repository.compare'>;

export interface ReadingDeps extends CommitReadDeps {
  readonly sources: Pick<SourceStore, 'fetch'>;
  readonly projects: Pick<ReturnType<typeof createProjectStore>, 'get'>;
}

/** Creates the jobs that read commits of a project's repository for people. What cannot be read is a result, not a failure. */
export function createRepositoryReadingHandlers(deps: ReadingDeps): {
  readonly [N in ReadingJob]: HandlerOf<N>;
} {
  return {
    'repository.file': {
      title: () => say('jobs.lookingAtARepository'),
      run: (payload, context) =>
        read<'repository.file'>(deps, payload, context, async (fetch) =>
          readCommitPath(deps, await fetch(payload.ref), payload, context.signal),
        ),
      say: sayEnd,
    },
    'repository.search': {
      title: () => say('jobs.lookingAtARepository'),
      run: (payload, context) =>
        read<'repository.search'>(deps, payload, context, async (fetch) =>
          searchCommit(deps, await fetch(payload.ref), payload, context.signal),
        ),
      say: sayEnd,
    },
    'repository.compare': {
      title: () => say('jobs.lookingAtARepository'),
      run: (payload, context) =>
        read<'repository.compare'>(deps, payload, context, async (fetch) => {
          const commits = { before: await fetch(payload.before), after: await fetch(payload.after) };
          return compareCommits(deps, { ...commits, path: payload.path ?? null }, context.signal);
        }),
      say: sayEnd,
    },
  };
}

async function read<N extends ReadingJob>(
  { sources, projects }: ReadingDeps,
  { project }: JobPayload<N>,
  { openSecret, signal }: JobContext,
  work: (fetch: (ref: string) => Promise<FetchedCommit>) => Promise<JobResult<N>>,
): Promise<JobResult<N> | Unread> {
  try {
    const repository: Repository | null = toRepository(await projects.get(project), openSecret);
    if (repository === null) throw new AppError('REPOSITORY_MISSING', { project });
    return await work((ref) => sources.fetch(repository, ref, signal));
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof AppError)) throw error;
    return { kind: 'unread', problem: explainError(error).slice(0, 2_000), cause: toErrorCause(error) };
  }
}

function sayEnd(result: JobResult<ReadingJob>): string {
  return result.kind === 'unread' ? result.problem : say('jobs.repositoryRead');
}
