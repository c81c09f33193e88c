import { AppError } from '@signalbox/contracts/errors';
import type { RunSettings } from '@signalbox/contracts/operations/deploy';
import { createNameNotFound } from './not-found.ts';
import { withTransaction, type Pool, type Queryable } from '../pool.ts';
import { findRow, hasRow, listRows, sql } from '../sql.ts';

/** The secret for reading a repository, and the person who stored it. */
export interface StoredLogin {
  readonly handle: string;
  readonly givenBy: string;
}

export interface ProjectRow {
  readonly name: string;
  readonly description: string;
  readonly repository: string | null;
  readonly repositoryLogin: StoredLogin | null;
  readonly run: RunSettings;
  readonly status: 'intended' | 'active' | 'archived';
  readonly owner: string;
  readonly ownerName: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly version: number;
}

export interface OpenRunRow {
  readonly runId: string;
  readonly job: string;
  readonly status: 'queued' | 'running';
  readonly createdAt: Date;
}

type Change = Partial<Pick<ProjectRow, 'description' | 'repository' | 'repositoryLogin' | 'status'>> & {
  /** Settings to change; null removes one. */
  readonly run?: { readonly [K in keyof RunSettings]: RunSettings[K] | null };
};

const COLUMNS = sql`p.name, p.description, p.repository, p.repository_login as "repositoryLogin", p.run, p.status, p.owner,
  coalesce((select u.name from users u where u.user_key = p.owner), p.owner) as "ownerName",
  p.created_at as "createdAt", p.updated_at as "updatedAt", p.version`;

/** Creates access to the projects in Postgres. Every write is idempotent by its action id. */
export function createProjectStore(pool: Pool) {
  return {
    /** Lists all projects, most recently changed first. */
    list(): Promise<readonly ProjectRow[]> {
      return listRows<ProjectRow>(pool)`select ${COLUMNS} from projects p order by p.updated_at desc, p.name`;
    },

    find: (name: string): Promise<ProjectRow | null> => find(pool, name),

    /** Returns a project by name. Throws NOT_FOUND. */
    get: (name: string): Promise<ProjectRow> => get(pool, name),

    /** Lists unfinished runs of a project, oldest first, at most 20. */
    openRuns(name: string): Promise<readonly OpenRunRow[]> {
      return listRows<OpenRunRow>(pool, 'project_open_runs')`
        select run_id as "runId", job, status, created_at as "createdAt" from runs
          where payload ->> 'project' = ${name} and status in ('queued', 'running') order by created_at limit 20`;
    },

    /** Creates a project. Throws ALREADY_EXISTS when another action created one of that name; one of two concurrent actions wins. */
    async create(
      project: Pick<ProjectRow, 'name' | 'description' | 'repository' | 'owner'> &
        Partial<Pick<ProjectRow, 'repositoryLogin'>>,
      actionId: string,
    ): Promise<ProjectRow> {
      const { name, description, repository, repositoryLogin = null, owner } = project;
      const added = await findRow<ProjectRow>(pool)`
        insert into projects as p (name, description, repository, owner, action_id, repository_login)
          values (${name}, ${description}, ${repository}, ${owner}, ${actionId}, ${repositoryLogin})
         on conflict do nothing returning ${COLUMNS}`;
      if (added) return added;
      const created = await findRow<ProjectRow>(pool)`select ${COLUMNS} from projects p
          where p.action_id = ${actionId}`;
      if (!created) throw new AppError('ALREADY_EXISTS', { kind: 'project', name });
      return created;
    },

    /** Changes only the given fields, so that concurrent changes of different fields are all kept. Throws NOT_FOUND. */
    update: (name: string, change: Change, actionId: string): Promise<ProjectRow> =>
      withTransaction(pool, async (db) => {
        // The row lock orders changes, so that an earlier change of the same action is always visible.
        if (!(await hasRow(db)`select 1 from projects where name = ${name} for update`))
          throw await createNameNotFound(db, 'project', name);
        const isNew = await hasRow(db)`insert into project_changes (action_id, project, change, version)
           select ${actionId}, name, ${JSON.stringify(change)}::jsonb, version + 1 from projects where name = ${name}
           on conflict (action_id) do nothing`;
        if (isNew) await apply(db, name, change);
        return get(db, name);
      }),
  };
}

async function apply(db: Queryable, name: string, change: Change): Promise<void> {
  await db.query(sql`
    update projects set description = coalesce(${change.description ?? null}, description),
      repository = coalesce(${change.repository ?? null}, repository),
            repository_login = case when ${change.repositoryLogin ?? null}::jsonb is not null then ${change.repositoryLogin ?? null}::jsonb
                                    when ${change.repository ?? null} is distinct from repository
                                      and ${change.repository ?? null}::text is not null then null else repository_login end,
            run = jsonb_strip_nulls(run || coalesce(${JSON.stringify(change.run ?? {})}::jsonb, '{}')),
            status = coalesce(${change.status ?? null}, status), version = version + 1, updated_at = clock_timestamp()
      where name = ${name}`);
}

function find(db: Queryable, name: string): Promise<ProjectRow | null> {
  return findRow<ProjectRow>(db, 'project_find')`select ${COLUMNS} from projects p where p.name = ${name}`;
}

async function get(db: Queryable, name: string): Promise<ProjectRow> {
  const project = await find(db, name);
  if (!project) throw await createNameNotFound(db, 'project', name);
  return project;
}
