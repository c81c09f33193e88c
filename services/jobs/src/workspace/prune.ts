import { lstat, mkdir, readdir, rename, rm, utimes } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { withLock } from '@signalbox/store/deploy/locks';
import type { Pool } from '@signalbox/store/pool';
import { newId } from '@signalbox/contracts/ids';
import { allowMissing } from '@signalbox/contracts/system-error';
import { say } from '@signalbox/messages/say';
import type { HandlerOf } from '../runner/handlers.ts';

/** The name of the lock under which somebody comes into a workspace, changes its files or takes it away. */
export function workspaceLock(name: string): string {
  return `workspace:${name}`;
}

/** Notes that a workspace is used from now on. Whoever does so holds its lock. The notes tell, because no command reaches them. */
export async function markUsed(notes: string, now: Date): Promise<void> {
  await utimes(notes, now, now);
}

/**
 * Removes the workspaces that nobody has used for `idleMs`. Every job marks its workspace under the lock when it begins and ends within
 * minutes, so with days for `idleMs` none works in one that is removed. Twice at once, or half, is safe: a workspace is first moved
 * away whole, and what lies there goes now or the next time.
 */
export function createWorkspacesPrune(parts: {
  readonly lockPool: Pool;
  readonly home: string;
  readonly idleMs: number;
}): HandlerOf<'workspaces.prune'> {
  const home = resolve(parts.home);
  const trash = join(home, 'trash');
  return {
    title: () => say('jobs.removingUnusedWorkspaces'),
    run: async (_, { signal, log, now }) => {
      const usedBefore = now().getTime() - parts.idleMs;
      const removed: string[] = [];
      await mkdir(trash, { recursive: true, mode: 0o700 });
      for (const name of await listNames(home)) {
        signal.throwIfAborted();
        if (!(await isUnused(home, name, usedBefore))) continue;
        try {
          const gone = await withLock(parts.lockPool, workspaceLock(name), async () => {
            if (!(await isUnused(home, name, usedBefore))) return false; // somebody came in before us
            // The notes last: as long as they are there, the next one finds what a dead process has left of it.
            await allowMissing(rename(join(home, 'files', name), join(trash, newId('old'))));
            await allowMissing(rename(join(home, 'notes', name), join(trash, newId('old'))));
            return true;
          });
          if (!gone) continue;
          log.info('unused workspace removed', { workspace: name });
          removed.push(name);
        } catch (error) {
          log.warn('unused workspace stays until the next time', { workspace: name, error });
        }
      }
      for (const name of await namesIn(trash)) {
        signal.throwIfAborted();
        await rm(join(trash, name), { recursive: true, force: true }).catch((error: unknown) =>
          log.warn('removed workspace cannot be deleted, an operator has to', { folder: join(trash, name), error }),
        );
      }
      return { removed };
    },
    say: ({ removed }) => say('jobs.workspacesRemoved', { count: removed.length, removed: removed.join(', ') }),
    isNotable: ({ removed }) => removed.length > 0,
  };
}

/** Workspaces, and what is left of those that were half made or half removed. */
async function listNames(home: string): Promise<ReadonlySet<string>> {
  return new Set([...(await namesIn(join(home, 'files'))), ...(await namesIn(join(home, 'notes')))]);
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return (await allowMissing(readdir(folder))) ?? [];
}

async function isUnused(home: string, name: string, before: number): Promise<boolean> {
  const usedAt = (await changedAt(join(home, 'notes', name))) ?? (await changedAt(join(home, 'files', name)));
  return usedAt !== null && usedAt < before;
}

/** In epoch milliseconds; null when there is no such thing. */
async function changedAt(path: string): Promise<number | null> {
  return (await allowMissing(lstat(path)))?.mtimeMs ?? null;
}
