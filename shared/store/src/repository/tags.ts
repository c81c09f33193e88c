import { AppError } from '@signalbox/contracts/errors';
import { MAX_TAGS } from '@signalbox/contracts/repository/tag';
import { createNameNotFound } from '../deploy/not-found.ts';
import { withTransaction, type Pool, type Queryable } from '../pool.ts';
import { hasRow, listValues, sql } from '../sql.ts';
import { auditDecision, recordDecision, type FindingDecision } from './findings.ts';

/** A request to add or remove a tag; the action id makes the request idempotent. */
export interface TagDecision extends Omit<FindingDecision, 'findingId' | 'reason'> {
  readonly tag: string;
}

/** Creates access to the tags of projects. */
export function createTagStore(pool: Pool) {
  return {
    list: (project: string): Promise<readonly string[]> => list(pool, project),

    /** Adds a tag and returns all tags of the project. Idempotent by action. Throws NOT_FOUND, TOO_MANY_TAGS. */
    give: (decision: TagDecision): Promise<readonly string[]> =>
      decide(pool, 'tag', decision, async (db, tags) => {
        const { project, tag, userKey } = decision;
        if (tags.includes(tag)) return;
        if (tags.length >= MAX_TAGS)
          throw new AppError('TOO_MANY_TAGS', { project, limit: String(MAX_TAGS), tags: tags.join(', ') });
        await db.query(sql`insert into project_tags (project, tag, user_key) values (${project}, ${tag}, ${userKey})`);
      }),

    /** Removes a tag and returns the remaining ones. Idempotent by action. Throws NOT_FOUND. */
    take: (decision: TagDecision): Promise<readonly string[]> =>
      decide(pool, 'untag', decision, async (db, tags) => {
        const { project, tag } = decision;
        if (!tags.includes(tag))
          throw new AppError('NOT_FOUND', { kind: 'tag', name: tag, known: tags.join(', ') || 'none' });
        await db.query(sql`delete from project_tags where project = ${project} and tag = ${tag}`);
      }),
  };
}

function decide(
  pool: Pool,
  kind: 'tag' | 'untag',
  decision: TagDecision,
  change: (db: Queryable, tags: readonly string[]) => Promise<void>,
): Promise<readonly string[]> {
  return withTransaction(pool, async (db) => {
    const { project, tag, actionId } = decision;
    // The row lock orders concurrent changes: together they cannot exceed the limit or remove the same tag twice.
    if (!(await hasRow(db)`select from projects where name = ${project} for no key update`))
      throw await createNameNotFound(db, 'project', project);
    const tags = await list(db, project);
    if (await hasRow(db)`select from repository_decisions where action_id = ${actionId} and about = ${tag}`)
      return tags;
    await change(db, tags);
    await recordDecision(db, kind, { ...decision, about: tag, reason: '', until: null });
    await auditDecision(db, kind === 'tag' ? 'project.tagged' : 'project.untagged', decision, { project, tag });
    return list(db, project);
  });
}

function list(db: Queryable, project: string): Promise<readonly string[]> {
  return listValues<string>(db)`select tag from project_tags where project = ${project} order by tag`;
}
