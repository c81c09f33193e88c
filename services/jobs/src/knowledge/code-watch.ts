import { AppError } from '@signalbox/contracts/errors';
import { newId, newTraceId } from '@signalbox/contracts/ids';
import type { JobPayload } from '@signalbox/contracts/operations/jobs';
import type { NeededCommit } from '@signalbox/contracts/repository/code-index';
import { say } from '@signalbox/messages/say';
import type { ProjectRow } from '@signalbox/store/deploy/projects';
import type { Pool } from '@signalbox/store/pool';
import { hasRow, listRows } from '@signalbox/store/sql';
import type { RunIntent } from '@signalbox/store/turns/runs';
import { toRepository } from '../git/repository-login.ts';
import type { MirrorState, SourceStore } from '../git/sources.ts';
import type { HandlerOf, JobContext } from '../runner/handlers.ts';

/** Newest deployments of each service whose commits stay searchable, besides the one that serves. */
const KEPT_DEPLOYMENTS = 2;
const MAX_COMMITS = 12;

interface WatchedProject extends Pick<ProjectRow, 'name' | 'repository' | 'repositoryLogin'> {
  /** Commits that serve, or were deployed lately, with what was asked for. */
  readonly deployed: readonly { readonly commit: string; readonly ref: string }[];
  readonly stored: readonly NeededCommit[];
}

/**
 * Compares what searches need with what is indexed, and starts runs for the difference: after a project was registered, its mirror was
 * fetched, or something was deployed. It asks no host and opens no login. A project has one run at a time.
 */
export function createCodeWatchHandler(parts: {
  readonly pool: Pool;
  readonly sources: Pick<SourceStore, 'findMirror'>;
  /** Starts a run; false when the run id exists. */
  readonly startRun: (run: RunIntent) => Promise<boolean>;
}): HandlerOf<'knowledge.watch'> {
  const settled = new Map<string, string>();
  return {
    title: () => say('jobs.watchingCode'),
    run: async (_, context) => {
      let begun = 0;
      for (const project of await listWatched(parts.pool)) {
        context.signal.throwIfAborted();
        const found = await findState(parts.sources, project).catch((error: unknown) => {
          context.log.warn('mirror not read', { project: project.name, error });
          return undefined;
        });
        if (found === undefined) continue;
        const mark = JSON.stringify([project, found?.mirror, found?.fetchedAtMs]);
        if (settled.get(project.name) === mark) continue;
        const payload = await describeNeed(project, found, context);
        if (payload === null) settled.set(project.name, mark);
        else if (!(await isBusy(parts.pool, project.name))) {
          const run = { runId: newId('run'), job: 'knowledge.code', payload, person: null, threadId: null };
          if (await parts.startRun({ ...run, traceId: newTraceId() })) begun += 1;
        }
      }
      return { begun };
    },
    say: ({ begun }) => say('jobs.codeWatched', { begun }),
    isNotable: ({ begun }) => begun > 0,
  };
}

function listWatched(pool: Pool): Promise<readonly WatchedProject[]> {
  return listRows<WatchedProject>(pool)`
    select p.name, case when p.status <> 'archived' then p.repository end as repository, p.repository_login as "repositoryLogin",
           coalesce((select json_agg(distinct jsonb_build_object('commit', d.commit, 'ref', d.ref)) from services s, lateral (
             (select x.commit, x.ref from deployments x where x.deployment_id = s.serving)
             union (select x.commit, x.ref from deployments x where x.project = s.project and x.environment = s.environment
                      and x.commit is not null order by x.requested_at desc limit ${KEPT_DEPLOYMENTS})) d
              where s.project = p.name and d.commit is not null), '[]') as deployed,
           coalesce((select json_agg(json_build_object('commit', r.commit, 'names', r.names, 'isMain', r.is_main) order by r.commit)
              from code_refs r where r.project = p.name), '[]') as stored
      from projects p
     where (p.status <> 'archived' and p.repository is not null) or p.name in (select r.project from code_refs r)
     order by p.name`;
}

/** Null without a mirror. The login is part of a mirror's name and stays closed. */
async function findState(
  sources: Pick<SourceStore, 'findMirror'>,
  project: WatchedProject,
): Promise<MirrorState | null> {
  const repository = toRepository(project, () => Promise.reject(new Error('no login is opened here')));
  if (repository === null) return null;
  try {
    return await sources.findMirror(repository);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** Returns what the index of a project has to become; null when it is that already. */
async function describeNeed(
  { name, repository, deployed, stored }: WatchedProject,
  found: MirrorState | null,
  { signal }: JobContext,
): Promise<JobPayload<'knowledge.code'> | null> {
  // The mirror of another machine is not here; only a project without a repository loses its index.
  if (found === null)
    return repository === null && stored.length > 0 ? { codeOf: name, mirror: null, folder: null, commits: [] } : null;
  const main = await found.readMain(signal);
  const needed = new Map<string, NeededCommit>();
  if (main) needed.set(main.commit, { commit: main.commit, names: [main.branch ?? 'HEAD'], isMain: true });
  for (const { commit, ref } of deployed) {
    const known = needed.get(commit);
    const short = commit.slice(0, 7);
    // A branch that went on since its deployment names another commit now.
    const own = ref === main?.branch || ref === 'HEAD' || commit.startsWith(ref) ? short : ref;
    if (known)
      needed.set(commit, {
        ...known,
        names: [...new Set([...known.names, ...(known.isMain && own === short ? [] : [own])])].slice(0, 10),
      });
    else if (needed.size < MAX_COMMITS && (await found.has(commit, signal)))
      needed.set(commit, { commit, names: [own], isMain: false });
  }
  const commits = [...needed.values()].sort((one, other) => (one.commit < other.commit ? -1 : 1));
  if (commits.length === 0 && stored.length === 0) return null;
  const isSame = JSON.stringify(commits.map(toMark)) === JSON.stringify(stored.map(toMark));
  return isSame ? null : { codeOf: name, mirror: found.mirror, folder: found.folder, commits };
}

function toMark({ commit, names, isMain }: NeededCommit): unknown {
  return [commit, names, isMain];
}

/** True while a run of this project is open, and for ten minutes after one has failed. */
function isBusy(pool: Pool, project: string): Promise<boolean> {
  return hasRow(pool)`select 1 from runs where job = 'knowledge.code' and payload ->> 'codeOf' = ${project}
    and (status in ('queued', 'running') or status = 'failed' and finished_at > now() - interval '10 minutes')
    order by created_at desc limit 1`;
}
