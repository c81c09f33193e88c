import { lstat, mkdir, readdir, rename, rm, utimes } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { withLock } from '@signalbox/store/deploy/locks';
import type { Pool } from '@signalbox/store/pool';
import { newId } from '@signalbox/contracts/ids';
import { allowMissing } from '@signalbox/contracts/system-error';
import { say } from '@signalbox/messages/say';
import type { HandlerOf } from '../runner/handlers.ts';

/** Names the lock for entering, changing or removing a workspace. */
export function getWorkspaceLock(name: string): string {
  return `workspace:${name}`;
}

/** Records the use of a workspace as the time of its notes folder, which no command can reach. The caller holds its lock. */
export async function touchWorkspace(notes: string, now: Date): Promise<void> {
  await utimes(notes, now, now);
}

/** Removes workspaces unused for `idleMs`. Each is moved to the trash first, so interrupted and concurrent runs are safe. */
export function createWorkspacesPruneHandler(parts: {
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
          const gone = await withLock(parts.lockPool, getWorkspaceLock(name), async () => {
            if (!(await isUnused(home, name, usedBefore))) return false; // A job uses the workspace again.
            // The notes are moved last: until then the next run finds what an interrupted run left.
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

async function changedAt(path: string): Promise<number | null> {
  return (await allowMissing(lstat(path)))?.mtimeMs ?? null;
}
