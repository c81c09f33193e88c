import { AppError } from '@signalbox/contracts/errors';
import { nameNotFound } from './not-found.ts';
import { withTransaction, type Pool, type Queryable } from '../pool.ts';

/** The secret with which a repository is read, and who gave it. */
export interface StoredLogin {
  readonly handle: string;
  readonly givenBy: string;
}

export interface ProjectRow {
  readonly name: string;
  readonly description: string;
  readonly repository: string | null;
  readonly repositoryLogin: StoredLogin | null;
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

type Change = Partial<Pick<ProjectRow, 'description' | 'repository' | 'repositoryLogin' | 'status'>>;

const COLUMNS = `p.name, p.description, p.repository, p.repository_login as "repositoryLogin", p.status, p.owner,
  coalesce((select u.name from users u where u.user_key = p.owner), p.owner) as "ownerName",
  p.created_at as "createdAt", p.updated_at as "updatedAt", p.version`;

/** The projects in Postgres. Every write is idempotent by its action id. */
export function createProjects(pool: Pool) {
  return {
    /** All projects, the most recently changed first. */
    async list(): Promise<readonly ProjectRow[]> {
      const { rows } = await pool.query<ProjectRow>(
        `select ${COLUMNS} from projects p order by p.updated_at desc, p.name`,
      );
      return rows;
    },

    find: (name: string): Promise<ProjectRow | null> => find(pool, name),

    /** Throws NOT_FOUND. */
    get: (name: string): Promise<ProjectRow> => get(pool, name),

    /** Runs about this project that have not ended, the oldest first, at most 20. */
    async openRuns(name: string): Promise<readonly OpenRunRow[]> {
      const { rows } = await pool.query<OpenRunRow>(
        `select run_id as "runId", job, status, created_at as "createdAt" from runs
          where payload ->> 'project' = $1 and status in ('queued', 'running') order by created_at limit 20`,
        [name],
      );
      return rows;
    },

    /** Throws ALREADY_EXISTS when another action made a project of that name; of two at once, one wins. */
    async create(
      project: Pick<ProjectRow, 'name' | 'description' | 'repository' | 'owner'> &
        Partial<Pick<ProjectRow, 'repositoryLogin'>>,
      actionId: string,
    ): Promise<ProjectRow> {
      const { name, description, repository, repositoryLogin = null, owner } = project;
      const { rows: added } = await pool.query<ProjectRow>(
        `insert into projects as p (name, description, repository, owner, action_id, repository_login) values ($1, $2, $3, $4, $5, $6)
         on conflict do nothing returning ${COLUMNS}`,
        [name, description, repository, owner, actionId, repositoryLogin],
      );
      if (added[0]) return added[0];
      const { rows } = await pool.query<ProjectRow>(`select ${COLUMNS} from projects p where p.action_id = $1`, [
        actionId,
      ]);
      const [created] = rows;
      if (!created) throw new AppError('ALREADY_EXISTS', { kind: 'project', name });
      return created;
    },

    /** Changes the named fields only: two changes of different fields both stay. Throws NOT_FOUND. */
    update: (name: string, change: Change, actionId: string): Promise<ProjectRow> =>
      withTransaction(pool, async (db) => {
        // The row lock orders the changes, and makes the look for this action's earlier change reliable.
        const { rowCount } = await db.query(`select 1 from projects where name = $1 for update`, [name]);
        if (rowCount === 0) throw await nameNotFound(db, 'project', name);
        const recorded = await db.query(
          `insert into project_changes (action_id, project, change, version)
           select $1, name, $3::jsonb, version + 1 from projects where name = $2
           on conflict (action_id) do nothing`,
          [actionId, name, JSON.stringify(change)],
        );
        if (recorded.rowCount === 1) await apply(db, name, change);
        return get(db, name);
      }),
  };
}

async function apply(db: Queryable, name: string, change: Change): Promise<void> {
  await db.query(
    // A login is for the address for which it was given: another address must not get it.
    `update projects set description = coalesce($2, description), repository = coalesce($3, repository),
            repository_login = case when $5::jsonb is not null then $5::jsonb
                                    when $3 is distinct from repository and $3 is not null then null else repository_login end,
            status = coalesce($4, status), version = version + 1, updated_at = clock_timestamp()
      where name = $1`,
    [
      name,
      change.description ?? null,
      change.repository ?? null,
      change.status ?? null,
      change.repositoryLogin ?? null,
    ],
  );
}

async function find(db: Queryable, name: string): Promise<ProjectRow | null> {
  const { rows } = await db.query<ProjectRow>(`select ${COLUMNS} from projects p where p.name = $1`, [name]);
  return rows[0] ?? null;
}

async function get(db: Queryable, name: string): Promise<ProjectRow> {
  const project = await find(db, name);
  if (!project) throw await nameNotFound(db, 'project', name);
  return project;
}
