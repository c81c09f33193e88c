import { AppError } from '@signalbox/contracts/errors';
import { parsePath, requireWritable } from '@signalbox/safety/paths/boundary';
import { applyFileDiff, readDiff, refuseDiff, type FileDiff } from './diff.ts';
import { readText, type ReadScope, type WriteScope } from './files.ts';
import { readFileMode, withFolder } from './folder.ts';
import { commitJournal, findEarlierResult, stageText, type JournalFolders, type FileStep } from './journal.ts';

export interface AppliedDiff {
  readonly files: { path: string; change: FileDiff['change']; added: number; removed: number }[];
}

const NEW_FILE_MODE = 0o644;

/** Applies a diff or changes nothing. Idempotent. Throws DIFF_REFUSED, PATH_DENIED, PATH_UNSUITABLE, WORKSPACE_FULL. */
export async function applyDiff(
  scope: WriteScope,
  place: JournalFolders,
  actionId: string,
  diff: string,
): Promise<AppliedDiff> {
  const earlier = await findEarlierResult(place.notes, actionId);
  if (earlier !== undefined) return earlier as AppliedDiff; // An earlier run of this function has stored the value.
  const files = readDiff(diff);
  // Checks all bounds before it reads a file, so that a denial reveals nothing.
  const targets = files.map((file) => ({ file, parts: parsePath(file.path) }));
  for (const { parts } of targets) requireWritable(scope.bounds, parts);
  requireApart(targets.map(({ parts }) => parts.join('/')));
  const steps: FileStep[] = [];
  let moreBytes = 0;
  for (const [index, { file, parts }] of targets.entries()) {
    const current = await readCurrent(scope, file);
    const next = applyFileDiff(file, current);
    const mode = current === null ? NEW_FILE_MODE : await readMode(scope, parts);
    moreBytes += Buffer.byteLength(next ?? '') - Buffer.byteLength(current ?? '');
    steps.push({
      parts: [...parts],
      mode,
      staged: next === null ? null : await stageText(place.notes, `${index}.new`, next),
      backup: current === null ? null : await stageText(place.notes, `${index}.old`, current),
    });
  }
  await scope.fits(moreBytes);
  const result: AppliedDiff = {
    files: targets.map(({ file, parts }) => ({
      path: parts.join('/'),
      change: file.change,
      added: file.added,
      removed: file.removed,
    })),
  };
  await commitJournal(place, { actionId, steps, result });
  return result;
}

async function readCurrent(scope: ReadScope, { path, change }: FileDiff): Promise<string | null> {
  try {
    return (await readText(scope, path)).text;
  } catch (error) {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return null;
    if (error instanceof AppError && error.code === 'PATH_UNSUITABLE' && change === 'created')
      return refuseDiff(`${path} exists already`);
    throw error;
  }
}

function readMode(scope: ReadScope, parts: readonly string[]): Promise<number> {
  const name = parts.at(-1) as string; // requireWritable refuses the workspace itself, so there is a name.
  return withFolder(scope.root, parts.slice(0, -1), { create: false }, async (folder) => {
    return (await readFileMode(folder, name, parts.join('/'))) ?? NEW_FILE_MODE;
  });
}

/** Refuses two spellings of one path, and a file with a path below it. */
function requireApart(paths: readonly string[]): void {
  for (const [place, path] of paths.entries()) {
    const other = paths
      .slice(place + 1)
      .find((one) => one === path || one.startsWith(`${path}/`) || path.startsWith(`${one}/`));
    if (other !== undefined) refuseDiff(`${path} and ${other} cannot both be changed`);
  }
}
