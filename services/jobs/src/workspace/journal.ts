import { createHash } from 'node:crypto';
import { open, readdir, readFile, rename, rm, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { allowMissing } from '@signalbox/contracts/system-error';
import { readFileMode, putFile, withFolder } from './folder.ts';

const FileStep = z.object({
  parts: z.array(z.string()).min(1),
  mode: z.number().int(),
  /** File in the notes folder with the new text; null when the file is deleted. */
  staged: z.string().nullable(),
  /** File in the notes folder with the old text; null for a new file. */
  backup: z.string().nullable(),
});

const Journal = z.object({ actionId: z.string(), steps: z.array(FileStep), result: z.unknown() });
export type Journal = z.infer<typeof Journal>;
export type FileStep = z.infer<typeof FileStep>;

/** Moments while a diff is applied at which a test may kill the process. */
export type CommitStage = 'staged' | 'written' | 'placed' | 'finished';

export interface JournalFolders {
  readonly root: string;
  readonly notes: string;
  readonly reached?: (point: CommitStage) => Promise<void>;
}

const FILE = 'journal.json';
const DONE_PREFIX = 'done-';
/** Lifetime of stored results; a retry comes within minutes. */
const DONE_KEPT_MS = 7 * 24 * 60 * 60_000;

/**
 * Changes several files together: stores texts in the notes folder, writes the journal, places each file, stores the result, and removes
 * the journal. A process that dies before the journal is written has changed nothing; afterwards the next call of `recover` finishes the
 * changes. Callers hold the workspace's lock and have called `recover`.
 */
export async function commitJournal(place: JournalFolders, journal: Journal): Promise<void> {
  await place.reached?.('staged');
  await writeWhole(join(place.notes, `${FILE}.new`), JSON.stringify(journal));
  await rename(join(place.notes, `${FILE}.new`), join(place.notes, FILE));
  await place.reached?.('written');
  await finish(place, journal);
}

/** Finishes the changes in a dead process's journal, and removes texts without a journal. */
export async function recoverJournal(place: JournalFolders): Promise<void> {
  const journal = await readJournal(place);
  if (journal !== null) await finish(place, journal);
  for (const name of await readdir(place.notes)) {
    if (!name.startsWith(DONE_PREFIX)) await rm(join(place.notes, name), { force: true });
  }
}

/** Finds the result of an earlier run with this action id; undefined when there is none. */
export async function findEarlierResult(notes: string, actionId: string): Promise<unknown> {
  const text = await allowMissing(readFile(doneFile(notes, actionId), 'utf8'));
  return text === null ? undefined : (JSON.parse(text) as unknown);
}

/** Stores the result of an action, so that it is not repeated. */
export async function storeResult(notes: string, actionId: string, result: unknown): Promise<void> {
  await forgetOld(notes);
  const file = doneFile(notes, actionId);
  await writeWhole(`${file}.new`, JSON.stringify(result));
  await rename(`${file}.new`, file);
}

/** Writes a text to the notes folder. Returns its file name. */
export async function stageText(notes: string, name: string, text: string): Promise<string> {
  await writeWhole(join(notes, name), text);
  return name;
}

async function finish(place: JournalFolders, journal: Journal): Promise<void> {
  try {
    for (const step of journal.steps) {
      await forward(place, step);
      await place.reached?.('placed');
    }
  } catch (error) {
    // The disk is full, or a path is blocked, so every change is undone.
    for (const step of journal.steps.toReversed()) await backward(place, step);
    await unlink(join(place.notes, FILE));
    throw error;
  }
  await storeResult(place.notes, journal.actionId, journal.result);
  await unlink(join(place.notes, FILE));
  await place.reached?.('finished');
}

async function forward({ root, notes }: JournalFolders, { parts, mode, staged }: FileStep): Promise<void> {
  const name = parts.at(-1) as string; // The schema requires at least one part.
  await withFolder(root, parts.slice(0, -1), { create: staged !== null }, async (folder) => {
    await readFileMode(folder, name, parts.join('/')); // Throws unless the existing file may be replaced.
    if (staged === null) {
      await rm(folder.at(name), { force: true });
      return;
    }
    const text = await allowMissing(readFile(join(notes, staged)));
    if (text === null) return; // An earlier run has placed the file.
    await putFile(folder, name, text, { mode, temporary: `.signalbox-${staged}` });
  });
}

async function backward(place: JournalFolders, step: FileStep): Promise<void> {
  if (step.backup !== null) return forward(place, { ...step, staged: step.backup });
  const name = step.parts.at(-1) as string; // The schema requires at least one part.
  await withFolder(place.root, step.parts.slice(0, -1), { create: false }, (folder) =>
    rm(folder.at(name), { force: true }),
  ).catch((error: unknown) => {
    if (!(error instanceof Error)) throw error; // The folder was never created, so nothing has to be undone.
  });
}

async function readJournal({ notes }: JournalFolders): Promise<Journal | null> {
  const text = await allowMissing(readFile(join(notes, FILE)));
  return text === null ? null : Journal.parse(JSON.parse(text.toString()));
}

async function writeWhole(path: string, text: string): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function forgetOld(notes: string): Promise<void> {
  for (const name of await readdir(notes)) {
    if (!name.startsWith(DONE_PREFIX)) continue;
    const { mtimeMs } = await stat(join(notes, name));
    if (Date.now() - mtimeMs > DONE_KEPT_MS) await rm(join(notes, name), { force: true });
  }
}

function doneFile(notes: string, actionId: string): string {
  return join(notes, `${DONE_PREFIX}${createHash('sha256').update(actionId).digest('hex')}`);
}
