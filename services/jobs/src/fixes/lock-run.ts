import { lstat, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FixFiles, FixPlan } from '@signalbox/analysis/fixes/fix';
import { MIB } from '@signalbox/contracts/size';
import { allowMissing } from '@signalbox/contracts/system-error';

type LockPlan = Extract<FixPlan, { kind: 'lock' }>;

/** Runs the command of a plan over the manifests of a repository, and returns the lock file that it wrote; null when there is none. */
export type LockRun = (
  plan: LockPlan,
  files: FixFiles,
  signal: AbortSignal,
) => Promise<{ readonly exitCode: number; readonly output: string; readonly lockText: string | null }>;

/** Files that package managers read to write a lock file. Settings that name programs of the repository are left out. */
const READ =
  /(?:^|\/)(?:package\.json|package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|pnpm-workspace\.yaml|yarn\.lock)$/;
const MAX_LOCK_BYTES = 16 * MIB;
const MAX_FILES = 500;

/** Prepares a room with only the manifests and lock files, runs the command in it, and reads the lock file. `room`: a folder of its own. */
export async function runInRoom(
  room: string,
  { folder, lockFile, words }: LockPlan,
  files: FixFiles,
  run: (words: readonly string[], folder: string) => Promise<{ readonly exitCode: number; readonly output: string }>,
): Promise<Awaited<ReturnType<LockRun>>> {
  try {
    const paths = (await files.list()).filter(
      (path) => READ.test(path) && !/(?:^|\/)(?:\.\.|node_modules)(?:\/|$)/.test(path),
    );
    for (const path of paths.slice(0, MAX_FILES)) {
      const text = await files.read(path);
      if (text === null) continue;
      await mkdir(dirname(join(room, path)), { recursive: true });
      await writeFile(join(room, path), text);
    }
    await mkdir(join(room, folder), { recursive: true });
    const { exitCode, output } = await run(words, folder);
    return { exitCode, output, lockText: await readLock(join(room, lockFile)) };
  } finally {
    await rm(room, { recursive: true, force: true });
  }
}

/** Follows no link: what ran in the room could have laid one to a file outside. */
async function readLock(path: string): Promise<string | null> {
  const found = await allowMissing(lstat(path));
  if (!found?.isFile() || found.size > MAX_LOCK_BYTES) return null;
  return readFile(path, 'utf8');
}
