import type { JobResult } from '@signalbox/contracts/operations/jobs';
import { AppError } from '@signalbox/contracts/errors';
import { describeRepository } from '@signalbox/messages/repository-look';
import { explainError, say } from '@signalbox/messages/say';
import type { createProjectStore } from '@signalbox/store/deploy/projects';
import type { DeployDeps } from '../deploy/deploy-deps.ts';
import { toRepository } from '../git/repository-login.ts';
import type { HandlerOf } from '../runner/handlers.ts';
import type { RepositoryContents } from '../git/sources.ts';

/** Reads the repository of a project, so that problems show before a deployment. A problem is a result, not a failure. */
export function createRepositoryReadHandler(
  parts: Pick<DeployDeps, 'sources'>,
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
        return { project, problem: null, ...found, tags: [...tags], ...buildDeployPlan(start) };
      } catch (error) {
        context.signal.throwIfAborted();
        if (!(error instanceof AppError)) throw error;
        return { ...nothing, problem: explainError(error).slice(0, 2_000) };
      }
    },
    say: (found) => describeRepository(found).join(' '),
  };
}

function buildDeployPlan(
  start: RepositoryContents['start'],
): Pick<JobResult<'repository.look'>, 'plan' | 'planProblem'> {
  if (start === null) return { plan: null, planProblem: null };
  if (start instanceof AppError) return { plan: null, planProblem: explainError(start).slice(0, 2_000) };
  const { build, start: command } = start.file;
  const plan = { build: build.map(asTyped), start: command === undefined ? null : asTyped(command) };
  return { plan, planProblem: null };
}

/** Formats a command as a person would type it; of a shell line, only the last command. */
function asTyped(words: readonly string[]): string {
  const [shell, option, line] = words;
  const text =
    shell === '/bin/sh' && option === '-c' && line !== undefined ? line.replace(/^.*\bexec /, '') : words.join(' ');
  return text.slice(0, 300);
}
