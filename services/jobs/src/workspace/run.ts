import type { JobPayload } from '@signalbox/contracts/operations/jobs';
import { withLock } from '@signalbox/store/deploy/locks';
import type { Pool } from '@signalbox/store/pool';
import { AppError } from '@signalbox/contracts/errors';
import { getSystemCode } from '@signalbox/contracts/system-error';
import type { JobContext } from '../runner/handlers.ts';
import type { SandboxResult, Sandbox } from '../sandbox/sandbox.ts';
import { denyPath, parsePath } from '@signalbox/safety/paths/boundary';
import type { ReadScope } from './files.ts';
import { withFolder } from './folder.ts';
import { findEarlierResult, storeResult } from './journal.ts';
import { getFileLimit, measureUsage, watchUsage, type Quota } from './quota.ts';

const LOCK_TIMED_OUT = '55P03';

/**
 * Runs a command in the sandbox. Folders that the agent's bounds protect are mounted read-only. Kills a command whose workspace grows too
 * large. A script starts once per action, even when its process died. Throws SANDBOX_MISSING, PATH_DENIED or TOOL_OUTCOME_UNKNOWN.
 */
export async function runCommand(
  { sandbox, lockPool, quota }: { readonly sandbox: Sandbox; readonly lockPool: Pool; readonly quota: Quota },
  scope: ReadScope & { readonly notes: string },
  payload: JobPayload<'workspace.run'>,
  context: JobContext,
): Promise<SandboxResult> {
  const { command, deadlineMs, actionId } = payload;
  if (sandbox.problem !== null) throw new AppError('SANDBOX_MISSING', { reason: sandbox.problem });
  if (!scope.bounds.canRead) denyPath('.', 'this kind of agent may not read files');
  const cwd = parsePath(payload.cwd);
  // The start folder must exist and be no link.
  await withFolder(scope.root, cwd, { create: false }, async () => undefined);
  const room = { workspace: scope.root, cwd: cwd.join('/') || '.', deadlineMs, signal: context.signal };
  // A command without approval only reads, so nothing is writable.
  if (command.kind === 'argv') return sandbox.runArgv(command.pipeline, { ...room, writable: [] });
  // Scripts of a workspace run one at a time: another script could swap a folder between check and mount.
  return oneAtATime(lockPool, payload.workspace, async () => {
    if ((await findEarlierResult(scope.notes, actionId)) !== undefined)
      throw new AppError('TOOL_OUTCOME_UNKNOWN', { tool: 'The command' });
    const writable = await writableFolders(scope);
    const start = await measureUsage(scope.root, context.signal);
    await storeResult(scope.notes, actionId, 'begun');
    return sandbox.runShell(command.script, {
      ...room,
      writable,
      fileBytes: getFileLimit(quota, start),
      watch: (over) => watchUsage(scope.root, quota, start, over),
    });
  });
}

async function oneAtATime<T>(lockPool: Pool, workspace: string, work: () => Promise<T>): Promise<T> {
  let began = false;
  try {
    return await withLock(lockPool, `workspace-script:${workspace}`, () => {
      began = true;
      return work();
    });
  } catch (error) {
    if (began || getSystemCode(error) !== LOCK_TIMED_OUT) throw error;
    throw new AppError('WORKSPACE_BUSY', {}, error);
  }
}

async function writableFolders({ root, bounds }: ReadScope): Promise<'all' | readonly string[]> {
  if (!bounds.canWrite) return [];
  if (bounds.writePaths === 'all') return 'all';
  const folders = bounds.writePaths.map((path) => parsePath(path));
  for (const parts of folders) await withFolder(root, parts, { create: true }, async () => undefined);
  return folders.map((parts) => parts.join('/'));
}
