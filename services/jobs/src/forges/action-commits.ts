import { AppError } from '@signalbox/contracts/errors';
import { say } from '@signalbox/messages/say';
import type { Dispatcher } from 'undici';
import { z } from 'zod';
import { createForgeClient, type ForgeLimits } from './forge-client.ts';
import type { ForgeSettings } from './forge-settings.ts';
import { GITHUB } from './hosts/github.ts';

/** An action of a workflow, named by a tag or branch. */
export interface NamedAction {
  readonly owner: string;
  readonly repository: string;
  readonly ref: string;
}

const Commit = z.object({ sha: z.string().regex(/^[0-9a-f]{40}$/) });

/**
 * Looks up the commit of an action at the configured GitHub hosts, without a login. Throws CONFLICT when none of them can say it.
 */
export async function findActionCommit(
  { owner, repository, ref }: NamedAction,
  deps: {
    readonly forges: readonly ForgeSettings[];
    readonly dispatcher: Dispatcher;
    readonly limits?: Partial<ForgeLimits>;
  },
  signal: AbortSignal,
): Promise<string> {
  const action = `${owner}/${repository}`;
  let trouble = say('forge.noAnswer');
  for (const { api, web } of deps.forges.filter(({ kind }) => kind === 'github')) {
    const client = createForgeClient({
      api,
      name: new URL(web).host,
      repository: action,
      rights: GITHUB.rights,
      headers: GITHUB.headers,
      authorize: null,
      dispatcher: deps.dispatcher,
      ...(deps.limits ? { limits: deps.limits } : {}),
    });
    const path = `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(repository)}/commits/${encodeURIComponent(ref)}`;
    try {
      return (await client.ask({ method: 'GET', path }, Commit, signal)).sha;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AppError)) throw error;
      trouble = error.message;
    }
  }
  throw new AppError('CONFLICT', { detail: say('fixes.pinUnknown', { action, ref, detail: trouble }) });
}
