import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { toWorkspaceName } from '@signalbox/contracts/operations/workspace';
import type { Queryable } from '@signalbox/store/pool';

/** An action whose entry in the ledger and whose effect do not say the same. */
export interface LedgerMismatch {
  readonly actionId: string;
  readonly tool: string;
  readonly status: string;
  readonly what: string;
}

interface Write {
  readonly actionId: string;
  readonly status: string;
  readonly threadId: string;
  readonly project: string | null;
  readonly path: string;
  readonly content: string;
  readonly startedAt: Date;
  readonly settledAt: Date | null;
}

const WRITES = `select action_id as "actionId", status, thread_id as "threadId", arguments ->> 'project' as project,
    arguments ->> 'path' as path, arguments ->> 'content' as content, started_at as "startedAt", settled_at as "settledAt"
  from actions where tool = 'write_file' order by settled_at nulls last, started_at`;
/** Diffs and commands change files in ways of their own: where one was asked for, files are not compared. */
const OTHERS = `select distinct thread_id as "threadId", arguments ->> 'project' as project
  from actions where tool in ('apply_diff', 'run_command')`;

/** Files that people sent lie in the folder of their conversation, without an action. */
const SENT = `select payload ->> 'workspace' as workspace, result #>> '{result,path}' as path
  from runs where job = 'workspace.attach' and result #>> '{result,path}' is not null`;

/** Where the files lie that a test has put into workspaces by itself, below the folder of the workspaces. */
const PLANTED = 'planted';

/** Puts a file into a workspace without an action, as a person with a checkout does. It counts as written before all else. */
export async function plantInWorkspace(home: string, workspace: string, path: string, content: string): Promise<void> {
  for (const folder of ['files', PLANTED]) {
    const file = join(home, folder, workspace, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}

/** Compares the writes of the ledger with the files below the folder of the workspaces. Answers where they differ. */
export async function compareFiles(db: Queryable, home: string): Promise<readonly LedgerMismatch[]> {
  const { rows: writes } = await db.query<Write>(WRITES);
  const { rows: others } = await db.query<Pick<Write, 'threadId' | 'project'>>(OTHERS);
  const skipped = new Set(others.map(nameOf));
  const planted = await readFiles(join(home, PLANTED));
  const written = new Map([...planted].map(([path, content]) => [path, [plantedWrite(path, content)]]));
  for (const write of writes) {
    const path = join(nameOf(write), posix.normalize(write.path));
    written.set(path, [...(written.get(path) ?? []), write]);
  }
  const files = await readFiles(join(home, 'files'));
  const { rows: sent } = await db.query<{ workspace: string; path: string }>(SENT);
  const isSent = (path: string): boolean => sent.some((one) => join(one.workspace, one.path) === path);
  const found: LedgerMismatch[] = [];
  for (const [path, ofPath] of written) {
    if (skipped.has(path.split('/')[0] ?? '')) continue;
    const what = differenceOf(ofPath, files.get(path) ?? null);
    const last = ofPath.findLast(({ status }) => status === 'done') ?? ofPath.at(-1);
    if (last && what !== null) found.push({ actionId: last.actionId, tool: 'write_file', status: last.status, what });
  }
  for (const path of files.keys())
    if (!written.has(path) && !isSent(path) && !skipped.has(path.split('/')[0] ?? ''))
      found.push({ actionId: 'none', tool: 'write_file', status: 'not there', what: `the file ${path} exists` });
  return found;
}

/** What is wrong with a file, after these writes of it in the order of their ends; null when nothing is. */
function differenceOf(writes: readonly Write[], content: string | null): string | null {
  const done = writes.filter(({ status }) => status === 'done');
  const last = done.at(-1);
  if (last === undefined) return content === null ? null : 'the file exists';
  if (content === null) return 'there is no file';
  // Of two at the same time either may have been the last.
  const possible = done.filter(({ settledAt }) => settledAt !== null && settledAt >= last.startedAt);
  return possible.some((write) => write.content === content) ? null : 'the file holds something else';
}

function plantedWrite(path: string, content: string): Write {
  const at = new Date(0);
  return {
    actionId: 'planted',
    status: 'done',
    threadId: '',
    project: null,
    path,
    content,
    startedAt: at,
    settledAt: at,
  };
}

function nameOf({ threadId, project }: Pick<Write, 'threadId' | 'project'>): string {
  return project === null ? toWorkspaceName('thread', threadId) : toWorkspaceName('project', project);
}

/** The texts of all files below the folder, or below a folder `inside` it, by their paths; what git keeps for itself is left out. */
export async function readFiles(folder: string, inside = ''): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(join(folder, inside), { withFileTypes: true }).catch(() => []); // the folder appears with the first file
  const files = new Map<string, string>();
  for (const entry of entries) {
    const path = join(inside, entry.name);
    if (path.split('/')[1] === '.git') continue;
    if (entry.isFile()) files.set(path, await readFile(join(folder, path), 'utf8'));
    // A recursive readdir would follow links, out of the folder.
    if (entry.isDirectory()) for (const [below, content] of await readFiles(folder, path)) files.set(below, content);
  }
  return files;
}
