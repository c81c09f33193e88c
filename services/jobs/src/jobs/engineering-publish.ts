import { describeCheck } from '@signalbox/contracts/engineering/change';
import type { JobPayload, JobResult } from '@signalbox/contracts/operations/jobs';
import { AppError } from '@signalbox/contracts/errors';
import { explainError, say } from '@signalbox/messages/say';
import type { createProjectStore } from '@signalbox/store/deploy/projects';
import { hashDiff, type ChangeStore, type CodeChange } from '@signalbox/store/engineering/changes';
import { commitDiff } from '../forges/commit-diff.ts';
import { createChangeTexts } from '../forges/change-text.ts';
import type { Change } from '../forges/forge.ts';
import type { FindForge } from '../forges/open-forge.ts';
import type { Git } from '../git/git.ts';
import { toRepository, type Repository } from '../git/repository-login.ts';
import type { SourceStore } from '../git/sources.ts';
import type { HandlerOf, JobContext } from '../runner/handlers.ts';
import { createOpenedSecrets } from '../runner/opened-secrets.ts';

export interface PublishDeps {
  readonly changes: ChangeStore;
  readonly projects: Pick<ReturnType<typeof createProjectStore>, 'get'>;
  readonly sources: Pick<SourceStore, 'fetch'>;
  readonly git: Git;
  readonly findForge: FindForge;
}

/** Looks where a project's main branch stands, and how the pull request of a change. What cannot be asked is a result. */
export function createEngineeringLookHandler(deps: PublishDeps): HandlerOf<'engineering.look'> {
  const unknown = { state: 'unknown' as const, canMerge: null, checks: 'none' as const, failed: [], problem: null };
  return {
    title: () => say('engineering.job'),
    async run({ changeId, project }, { openSecret, signal }): Promise<JobResult<'engineering.look'>> {
      try {
        const repository = await findRepository(deps, project, openSecret);
        const forge = deps.findForge(project, repository);
        const { commit: head } = await deps.sources.fetch(repository, 'HEAD', signal);
        const seen = { ...unknown, head, forge: forge.name };
        const outcome = (await deps.changes.find(changeId))?.outcome;
        const found = outcome ? await forge.findChange(outcome.branch, signal) : null;
        if (found === null) return seen;
        if (found.kind === 'kept') return { ...seen, state: 'kept' };
        const { state, canMerge, checks } = found;
        return { ...seen, state, canMerge, checks: checks.state, failed: [...checks.failed] };
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof AppError)) throw error;
        return { ...unknown, head: null, forge: '', problem: explainError(error).slice(0, 2_000) };
      }
    },
    say: () => '',
  };
}

/**
 * Publishes exactly the approved diff: its commit on a branch, and a pull request. A repeated attempt makes the same commit and finds the
 * branch and the pull request of the first.
 */
export function createEngineeringPublishHandler(deps: PublishDeps): HandlerOf<'engineering.publish'> {
  return {
    title: () => say('engineering.job'),
    run: (payload, context) => publish(deps, payload, context),
    say: ({ changeId, project, branch, url }) =>
      say('engineering.published', { change: String(changeId), project, branch, hasUrl: url !== null, url: url ?? '' }),
  };
}

async function publish(
  { changes, projects, sources, git, findForge }: PublishDeps,
  { changeId, project, hash }: JobPayload<'engineering.publish'>,
  context: JobContext,
): Promise<JobResult<'engineering.publish'>> {
  const { signal } = context;
  const change = await changes.find(changeId);
  if (change?.outcome) return change.outcome;
  const { proposal, baseCommit } = change ?? {};
  // The diff must still be the approved one: somebody may have changed the row since.
  const isApproved = proposal && baseCommit && proposal.hash === hash && hashDiff(baseCommit, proposal.diff) === hash;
  if (!change || !isApproved)
    throw new AppError('CONFLICT', { detail: say('engineering.diffChanged', { change: String(changeId) }) });
  const opened = createOpenedSecrets();
  const openSecret: JobContext['openSecret'] = async (...asked) => {
    const value = await context.openSecret(...asked);
    opened.add(value);
    return value;
  };
  const repository = await findRepository({ projects }, project, openSecret);
  // The mirror has the base already, unless it was made anew.
  const { mirror } = await sources.fetch(repository, baseCommit, signal);
  const branch = nameBranch(change, proposal.title);
  await repository.login?.open();
  // The values of logins are known here alone.
  if (opened.mask(proposal.diff) !== proposal.diff)
    throw new AppError('CONFLICT', { detail: say('engineering.diffHoldsSecret', { change: String(changeId) }) });
  // A model or a repository wrote these texts, so mentions and commands of the forge are escaped.
  const { title, body, message } = createChangeTexts({
    title: proposal.title,
    summary: proposal.summary,
    checks: proposal.checks.map(describeCheck),
    critic: proposal.critique && say('engineering.critique', proposal.critique),
    changeId,
    requestedBy: await changes.nameRequester(change.userKey),
    approvedBy: await changes.listApprovers(context.runId),
    diffHash: hash,
  });
  const commit = await commitDiff(
    git,
    mirror,
    { base: baseCommit, diff: proposal.diff, message, at: change.createdAt },
    signal,
  );
  const forge = findForge(project, repository);
  await forge.publish({ mirror, commit, base: baseCommit, branch, replaces: null }, signal);
  const request = { branch, into: null, title, body };
  const found = await forge.openChange(request, signal);
  const outcome = toOutcome(change, forge.name, { branch, commit }, found);
  await changes.publish(changeId, outcome);
  return outcome;
}

/** The name of a change's branch: the same in every attempt. */
function nameBranch({ changeId }: Pick<CodeChange, 'changeId'>, title: string): string {
  const words = title
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return `signalbox/${changeId}${words === '' ? '' : `-${cutAtWord(words)}`}`;
}

/** Cuts words that hyphens join, within a word only where the first one is too long. */
function cutAtWord(words: string): string {
  if (words.length <= MAX_BRANCH_WORDS) return words;
  const end = words.lastIndexOf('-', MAX_BRANCH_WORDS);
  return words.slice(0, end > 0 ? end : MAX_BRANCH_WORDS);
}

const MAX_BRANCH_WORDS = 40;

function toOutcome(
  { changeId, project, proposal }: CodeChange,
  forge: string,
  { branch, commit }: { readonly branch: string; readonly commit: string },
  found: Change,
): JobResult<'engineering.publish'> {
  const common = { changeId, project, title: proposal?.title ?? '', forge, branch, commit };
  if (found.kind === 'kept') return { ...common, number: null, url: null, repository: found.repository };
  return { ...common, number: found.number, url: found.url, repository: null };
}

async function findRepository(
  { projects }: Pick<PublishDeps, 'projects'>,
  project: string,
  openSecret: JobContext['openSecret'],
): Promise<Repository> {
  const repository = toRepository(await projects.get(project), openSecret);
  if (repository === null) throw new AppError('REPOSITORY_MISSING', { project });
  return repository;
}
