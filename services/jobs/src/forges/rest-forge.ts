import { AppError } from '@signalbox/contracts/errors';
import { SECOND_MS, sleepOrThrow } from '@signalbox/contracts/time';
import { say } from '@signalbox/messages/say';
import type { ForgeApi, FoundChange } from './forge-api.ts';
import type { ForgeClient } from './forge-client.ts';
import type { BranchCommit, Change, ChangeChecks, Forge, ForgeKind } from './forge.ts';

/** How often a change is looked for and opened. Each round looks first, so that a lost answer opens no second change. */
const ROUNDS = 3;
const NO_CHECKS: ChangeChecks = { state: 'none', failed: [] };

/** Builds a forge from its API and a way to push. Pushes, finds before it opens, and trusts no address that a forge names. */
export function createRestForge(parts: {
  readonly kind: ForgeKind;
  readonly name: string;
  /** Address of the forge's pages. */
  readonly web: string;
  readonly client: ForgeClient;
  readonly api: ForgeApi;
  readonly push: (commit: BranchCommit, signal: AbortSignal) => Promise<{ readonly isNew: boolean }>;
  readonly pauseMs?: number;
}): Forge {
  const { kind, name, web, client, api, push, pauseMs = SECOND_MS } = parts;
  const readRepository = async (signal: AbortSignal) => {
    const repository = await api.readRepository(signal);
    if (repository.isArchived) throw client.refuse(say('forge.archived'));
    return repository;
  };
  const describe = async (found: FoundChange, signal: AbortSignal): Promise<Change> => {
    const checks = await readChecks(api, found.commit, signal);
    return { kind: 'opened', ...found, url: `${web}${api.pagePath(found.number)}`, checks };
  };
  const findOpen = async (branch: string, signal: AbortSignal): Promise<Change | null> => {
    const open = (await api.listChanges(branch, signal)).find(({ state }) => state === 'open');
    return open ? describe(await api.readChange(open.number, signal), signal) : null;
  };
  return {
    kind,
    name,
    async publish(commit, signal) {
      try {
        return await push(commit, signal);
      } catch (error) {
        // Git only hears a refusal; the API knows whether the repository is archived or the token is refused everywhere.
        const isRefused = error instanceof AppError && error.code === 'FORGE_REFUSED';
        if (isRefused) await readRepository(signal);
        throw error;
      }
    },
    async openChange(request, signal) {
      let trouble: AppError | null = null;
      for (let round = 1; round <= ROUNDS; round += 1) {
        const found = await findOpen(request.branch, signal);
        if (found !== null) return found;
        const into = request.into ?? (await readRepository(signal)).mainBranch;
        try {
          await api.create({ ...request, into }, signal);
        } catch (error) {
          // Whether a change was opened is not known, so the next round looks.
          if (!(error instanceof AppError) || error.code !== 'FORGE_AWAY') throw error;
          trouble = error;
        }
        const opened = await findOpen(request.branch, signal);
        if (opened !== null) return opened;
        await sleepOrThrow(pauseMs * 2 ** (round - 1), signal);
      }
      throw trouble ?? client.refuse(say('forge.notOpened'));
    },
    async findChange(branch, signal) {
      const changes = await api.listChanges(branch, signal);
      const newest = changes.find(({ state }) => state === 'open') ?? changes[0];
      return newest ? describe(await api.readChange(newest.number, signal), signal) : null;
    },
  };
}

/** Checks are news about a change: a token that may not read them hides them, and nothing fails. */
async function readChecks(api: ForgeApi, commit: string, signal: AbortSignal): Promise<ChangeChecks> {
  try {
    return await api.readChecks(commit, signal);
  } catch (error) {
    if (error instanceof AppError && error.code === 'FORGE_REFUSED') return NO_CHECKS;
    throw error;
  }
}
