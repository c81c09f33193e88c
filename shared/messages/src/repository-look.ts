import type { ActionButton } from '@signalbox/contracts/conversation/envelope';
import type { Environment } from '@signalbox/contracts/conversation/fields';
import type { RepositorySummaryResult } from '@signalbox/contracts/operations/operations';
import { describePlan } from './deploy-plan.ts';
import { sayList } from './list.ts';
import { say } from './say.ts';

/** The result of reading a repository, or SUMMARY_PENDING while it is being read. */
export type RepositorySummary = RepositorySummaryResult | typeof SUMMARY_PENDING;

/** The repository is still being read. */
export const SUMMARY_PENDING = {
  problem: null,
  branch: null,
  main: null,
  tags: null,
  plan: null,
  planProblem: null,
} as const;

/** Describes a repository, and how it would be deployed if that is known, one sentence each; empty for null. */
export function describeRepository(look: RepositorySummary | null): readonly string[] {
  if (look === null) return [];
  const { problem, main, tags, plan, planProblem } = look;
  if (tags === null) return [say('repository.stillReading')];
  if (problem !== null) return [problem];
  const values = {
    hasMain: main !== null,
    commit: main?.slice(0, 7) ?? '',
    hasTags: tags.length > 0,
    tags: sayList(tags),
    count: tags.length,
  };
  const how = plan ? describePlan(plan) : planProblem;
  return [say('repository.read', values), ...(how === null ? [] : [how])];
}

/**
 * Lists the versions that can be deployed: the tags, newest first, and then the main branch, if Signalbox knows how to start it. The first
 * one is what “the newest” means. Pure.
 */
export function listVersions({
  tags,
  branch,
  planProblem,
}: Pick<RepositorySummary, 'tags' | 'branch' | 'planProblem'>): readonly string[] {
  return [...(tags ?? []), ...(planProblem === null && branch !== null ? [branch] : [])];
}

/** Builds deploy buttons for the newest versions, at most `newest`, and for the main branch; none where nobody knows how to start it. */
export function createVersionButtons(
  project: string,
  look: RepositorySummary | null,
  environment: Environment,
  newest: number,
): readonly ActionButton[] {
  if (look === null || look.planProblem !== null) return [];
  const versions = listVersions({ ...look, tags: look.tags?.slice(0, newest) ?? null });
  return versions.map((version) => ({
    label: say('deploy.deployOrder', { project, version, environment, server: 'any' }),
    value: `deploy ${project} ${version} to ${environment}`,
    // A press confirms exactly this call, whatever the conversation has read before.
    does: { tool: 'trigger_deploy', arguments: { project, version, environment } },
  }));
}
