import { sayList } from '@signalbox/messages/list';
import { say } from '@signalbox/messages/say';
import type { Environment } from './conversation/fields.ts';
import type { ActionButton } from './conversation/envelope.ts';
import type { RepositoryLookResult } from './operations/operations.ts';

/** What can be read of a repository; without anything while somebody still looks. */
export type RepositoryLook =
  RepositoryLookResult | { readonly problem: null; readonly branch: null; readonly main: null; readonly tags: null };

/** Somebody still looks. */
export const STILL_LOOKING: RepositoryLook = { problem: null, branch: null, main: null, tags: null };

/** What was seen of a repository, in a sentence; none when nobody looked. */
export function sayLook(look: RepositoryLook | null): readonly string[] {
  if (look === null) return [];
  const { problem, main, tags } = look;
  if (tags === null) return [say('repository.stillReading')];
  if (problem !== null) return [problem];
  const values = {
    hasMain: main !== null,
    commit: main?.slice(0, 7) ?? '',
    hasTags: tags.length > 0,
    tags: sayList(tags),
  };
  return [say('repository.read', values)];
}

/** What could be deployed of it: the newest versions, so many at most, and what the main branch is now. */
export function versionButtons(
  project: string,
  look: RepositoryLook | null,
  environment: Environment,
  newest: number,
): readonly ActionButton[] {
  const tags = look?.tags ?? [];
  const versions = [...tags.slice(0, newest), look?.branch].filter((version) => typeof version === 'string');
  return versions.map((version) => ({
    label: say('deploy.deployOrder', { project, version, environment, server: 'any' }),
    value: `deploy ${project} ${version} to ${environment}`,
  }));
}
