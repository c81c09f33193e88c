import { takeLastLines } from '../sandbox/kept-output.ts';
import { MIB } from '@signalbox/contracts/size';
import { say, sayError as sentence } from '@signalbox/messages/say';
import { getAgentBounds } from '@signalbox/contracts/governance/agent-bounds';
import type { JobPayload, JobsOf } from '@signalbox/contracts/operations/jobs';
import { JobRefusal, type WorkspaceContext } from '@signalbox/contracts/operations/workspace';
import { appendAudit } from '@signalbox/store/audit/audit';
import { withLock } from '@signalbox/store/deploy/locks';
import { openPool, type Pool } from '@signalbox/store/pool';
import { AppError, type ErrorCode, type ErrorData } from '@signalbox/contracts/errors';
import type { RegisterClosable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { HOUR_MS } from '@signalbox/contracts/time';
import type { JobsConfig } from '../config.ts';
import type { JobContext, JobHandler, PoolHandlers } from '../runner/handlers.ts';
import { findBubblewrap } from '../sandbox/program.ts';
import { readHandedFile } from '@signalbox/platform/streams/handed-files';
import type { Redis } from '@signalbox/platform/redis';
import { findPrograms } from '../sandbox/programs.ts';
import { COMMAND_LIMITS } from '../sandbox/limits.ts';
import { openSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import { selectDatabaseRole } from '../service-name.ts';
import { applyDiff } from '../workspace/apply.ts';
import { putAttachment } from '../workspace/attach.ts';
import { listEntries, readLines, writeText, type ReadScope } from '../workspace/files.ts';
import { recoverJournal, type JournalFolders } from '../workspace/journal.ts';
import { createWorkspacesPruneHandler, touchWorkspace, getWorkspaceLock } from '../workspace/prune.ts';
import { requireFreeSpace, type Quota } from '../workspace/quota.ts';
import { runCommand } from '../workspace/run.ts';
import { openWorkspace } from '../workspace/workspaces.ts';

interface WorkspaceDeps {
  readonly pool: Pool;
  /** The pool of connections for locks is separate: a lock holder never waits for a connection behind a lock waiter. */
  readonly lockPool: Pool;
  readonly home: string;
  readonly idleMs: number;
  readonly sandbox: Sandbox;
  /** The interpreters that commands find in the sandbox. */
  readonly programs: readonly string[];
  readonly quota: Quota;
  /** Reads a file that the worker handed over; null when its time is over. */
  readonly handed: (id: string) => Promise<Buffer | null>;
}

/** The exit code of a shell whose program was not found. */
const NOT_FOUND_CODE = 127;

interface Workplace extends ReadScope, JournalFolders {}

type WorkspaceAnswer<T> = { outcome: 'refused'; refusal: JobRefusal } | { outcome: 'done'; result: T };

/** Creates the handlers of the pool `agents`. Without a working sandbox, commands are refused and files work. */
export async function createWorkspaceHandlers(
  own: RegisterClosable,
  config: JobsConfig,
  { pool, redis }: { readonly pool: Pool; readonly redis: Redis },
  log: Log,
): Promise<PoolHandlers<'agents'>> {
  const { BWRAP_PATH: file, BWRAP_LIBRARY_PATH: libraryPath, PATH: path, WORKSPACE_DIR: home } = config;
  const lockPool = openPool(config.DATABASE_URL, log, {
    name: 'jobs-locks',
    max: 2 * config.JOBS_CONCURRENCY,
    ...selectDatabaseRole(config.JOBS_POOLS),
  });
  own({ close: () => lockPool.end() });
  const limits = { ...COMMAND_LIMITS, scratchBytes: config.SANDBOX_TMP_MB * MIB };
  const sandbox = await openSandbox({ program: findBubblewrap({ file, libraryPath, path }), limits });
  const programs = await findPrograms(sandbox);
  if (sandbox.problem === null) log.info('sandbox is ready', { bounds: sandbox.bounds, programs });
  else log.warn('commands are refused, there is no sandbox', { reason: sandbox.problem });
  const quota = { limitBytes: config.WORKSPACE_LIMIT_MB * MIB, reserveBytes: config.WORKSPACE_RESERVE_MB * MIB };
  const idleMs = config.WORKSPACE_IDLE_DAYS * 24 * HOUR_MS;
  const handed = (id: string): Promise<Buffer | null> => readHandedFile(redis, config.REDIS_PREFIX, id);
  return createHandlers({ pool, lockPool, home, sandbox, programs, quota, handed, idleMs });
}

function createHandlers(parts: WorkspaceDeps): PoolHandlers<'agents'> {
  return {
    'workspaces.prune': createWorkspacesPruneHandler(parts),
    'workspace.confinement': {
      title: () => say('jobs.checkingTheSandbox'),
      run: async () => ({ problem: parts.sandbox.problem, programs: [...parts.programs] }),
      say: () => '',
    },
    'workspace.run': handler('workspace.run', parts, {
      title: () => say('jobs.runningACommand'),
      isAlone: false,
      run: async (place, payload, context) => {
        const ran = await runCommand(parts, place, payload, context);
        return ran.exitCode === NOT_FOUND_CODE ? { ...ran, programs: [...parts.programs] } : ran;
      },
      say: ({ exitCode, output, killed }) =>
        `${say('jobs.commandEnded', { isKilled: killed !== null, killed: killed ?? '', exitCode: exitCode ?? '' })}\n${takeLastLines(output)}`,
    }),
    'workspace.read': handler('workspace.read', parts, {
      title: () => say('jobs.readingAFile'),
      isAlone: false,
      run: (place, { path, fromLine, lines }) => readLines(place, path, { fromLine, lines }),
      say: ({ path, totalLines }) => say('jobs.fileRead', { path, totalLines }),
    }),
    'workspace.list': handler('workspace.list', parts, {
      title: () => say('jobs.listingFiles'),
      isAlone: false,
      run: (place, { path, depth }) => listEntries(place, path, depth),
      say: ({ entries }) => say('jobs.filesListed', { entries: entries.length }),
    }),
    'workspace.write': handler('workspace.write', parts, {
      title: () => say('jobs.writingAFile'),
      isAlone: true,
      run: (place, { path, content }, { signal }) =>
        writeText({ ...place, fits: (more) => requireFreeSpace(place.root, parts.quota, more, signal) }, path, content),
      say: ({ path, sizeBytes }) => say('jobs.fileWritten', { path, sizeBytes }),
    }),
    'workspace.attach': handler('workspace.attach', parts, {
      title: () => say('jobs.keepingAFile'),
      isAlone: true,
      run: async (place, { handed, name }, { signal }) => {
        const bytes = await parts.handed(handed);
        if (bytes === null) throw new AppError('NOT_FOUND', { kind: 'file', name, known: 'it has to be sent again' });
        const fits = (more: number): Promise<void> => requireFreeSpace(place.root, parts.quota, more, signal);
        return putAttachment({ ...place, fits }, name, bytes);
      },
      say: ({ path, sizeBytes }) => say('jobs.fileWritten', { path, sizeBytes }),
    }),
    'workspace.apply': handler('workspace.apply', parts, {
      title: () => say('jobs.applyingADiff'),
      isAlone: true,
      run: (place, { actionId, diff }, { signal }) =>
        applyDiff(
          { ...place, fits: (more) => requireFreeSpace(place.root, parts.quota, more, signal) },
          place,
          actionId,
          diff,
        ),
      say: ({ files }) => say('jobs.diffApplied', { files: files.map(({ path }) => path).join(', ') }),
    }),
  };
}

/** Wraps all workspace jobs: opens the workspace, finishes an interrupted diff, and returns refusals as results. */
function handler<N extends Exclude<JobsOf<'agents'>, 'workspaces.prune' | 'workspace.confinement'>, T>(
  _name: N,
  parts: WorkspaceDeps,
  job: {
    readonly title: () => string;
    /** True when no other job may change files of the workspace meanwhile. */
    readonly isAlone: boolean;
    run(place: Workplace, payload: JobPayload<N>, context: JobContext): Promise<T>;
    say(result: T): string;
  },
): JobHandler<JobPayload<N>, WorkspaceAnswer<T>> {
  return {
    title: job.title,
    run: async (payload, context) => {
      try {
        const { place, alone } = await withLock(parts.lockPool, getWorkspaceLock(payload.workspace), async () => {
          context.signal.throwIfAborted();
          const folder = await openWorkspace(parts.home, payload.workspace);
          const entered = { ...folder, bounds: getAgentBounds(payload.bounds) };
          // Every job first finishes an interrupted diff, so that nobody sees half of that diff.
          await recoverJournal(entered);
          await touchWorkspace(folder.notes, context.now());
          return { place: entered, alone: job.isAlone ? { value: await job.run(entered, payload, context) } : null };
        });
        return { outcome: 'done', result: alone ? alone.value : await job.run(place, payload, context) };
      } catch (error) {
        const refusal = asRefusal(error);
        if (refusal === null) throw error;
        if (refusal.code === 'PATH_DENIED') await recordDenial(parts.pool, payload, refusal);
        return { outcome: 'refused', refusal };
      }
    },
    say: (answer) =>
      answer.outcome === 'done'
        ? job.say(answer.result)
        : sentence(answer.refusal.code, answer.refusal.data as ErrorData<ErrorCode>), // `asRefusal` builds the data from an AppError of that code.
  };
}

async function recordDenial(pool: Pool, call: WorkspaceContext, { data }: JobRefusal): Promise<void> {
  const { actor, threadId, actionId, workspace, bounds } = call;
  const event = { kind: 'file.denied' as const, actor, threadId, actionId };
  await appendAudit(pool, [{ ...event, data: { workspace, bounds, ...data } }]);
}

function asRefusal(error: unknown): JobRefusal | null {
  if (!(error instanceof AppError)) return null;
  const parsed = JobRefusal.safeParse({ code: error.code, data: error.data });
  return parsed.success ? parsed.data : null;
}
