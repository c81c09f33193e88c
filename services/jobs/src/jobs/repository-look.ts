import type { JobResult } from '@signalbox/contracts/operations/jobs';
import { AppError } from '@signalbox/contracts/errors';
import { toTypedPlan } from '@signalbox/messages/deploy-plan';
import { describeRepository } from '@signalbox/messages/repository-look';
import { explainError, say } from '@signalbox/messages/say';
import type { createProjectStore } from '@signalbox/store/deploy/projects';
import type { DeployDeps } from '../deploy/deploy-deps.ts';
import { toRepository } from '../git/repository-login.ts';
import type { HandlerOf } from '../runner/handlers.ts';
import type { RepositoryContents } from '../git/sources.ts';
import type { Machine } from '../ways/way.ts';

/** Reads the repository of a project, so that problems show before a deployment. A problem is a result, not a failure. */
export function createRepositoryReadHandler(
  parts: Pick<DeployDeps, 'sources' | 'work'>,
  projects: Pick<ReturnType<typeof createProjectStore>, 'get'>,
): HandlerOf<'repository.look'> {
  return {
    title: () => say('jobs.lookingAtARepository'),
    async run({ project }, context) {
      const nothing = { project, branch: null, main: null, tags: [], plan: null, planProblem: null };
      try {
        const repository = toRepository(await projects.get(project), context.openSecret);
        if (repository === null) throw new AppError('REPOSITORY_MISSING', { project });
        const { tags, start, ...found } = await parts.sources.look(repository, context.signal);
        return {
          project,
          problem: null,
          ...found,
          tags: [...tags],
          ...readPlan(start, await findMachine(parts.work, project)),
        };
      } catch (error) {
        context.signal.throwIfAborted();
        if (!(error instanceof AppError)) throw error;
        return { ...nothing, problem: explainError(error).slice(0, 2_000) };
      }
    },
    say: (found) => describeRepository(found).join(' '),
  };
}

/** Reads how the main branch would be deployed. An obstacle is a result. */
function readPlan(
  start: RepositoryContents['start'],
  machine: Machine,
): Pick<JobResult<'repository.look'>, 'plan' | 'planProblem'> {
  if (start === null) return { plan: null, planProblem: null };
  try {
    if (start instanceof AppError) throw start;
    const { file, notes } = start.choose(machine);
    const { build, start: command } = toTypedPlan({ build: file.build, start: file.start ?? null });
    return { plan: { build: [...build], start: command, ...(notes.length > 0 ? { notes } : {}) }, planProblem: null };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { plan: null, planProblem: explainError(error).slice(0, 2_000) };
  }
}

/** The server on which the first deployment of a project would run; this machine where none fits. */
async function findMachine(work: Pick<DeployDeps['work'], 'findTarget'>, project: string): Promise<Machine> {
  try {
    return await work.findTarget({ project, environment: 'staging' }, null);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { server: 'local', driver: 'process' };
  }
}
