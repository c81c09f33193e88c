import { AppError } from '@signalbox/contracts/errors';
import { MAX_LISTED_NAMES, formatNameList } from '@signalbox/contracts/nearest-name';
import type { Queryable } from '../pool.ts';
import { sql } from '../sql.ts';

const NAMES = {
  project: sql`select name from projects where status <> 'archived'`,
  server: sql`select name from servers`,
  service: sql`select project || '/' || environment as name from services`,
} as const;

/** Maximum number of existing names that are compared with the typed name. */
const LIKELY = 20;

/** Builds the error NOT_FOUND for a name, with existing names and the most likely one. */
export async function createNameNotFound(db: Queryable, kind: keyof typeof NAMES, name: string): Promise<AppError> {
  const typed = name.trim().toLowerCase();
  const { rows } = await db.query<{ first: string[]; likely: string[]; total: number }>(sql`
    with names as (${NAMES[kind]})
     select array(select name from names order by name limit ${MAX_LISTED_NAMES}) as first,
            array(select name from (
              (select name from names order by name <-> ${typed} limit ${LIKELY})
              union (select name from names where length(${typed}) > 1
                and starts_with(name, ${typed}) order by name limit ${LIKELY})) x
              order by name) as likely,
            (select count(*)::int from names) as total`);
  const [{ first, likely, total } = { first: [], likely: [], total: 0 }] = rows;
  return new AppError('NOT_FOUND', {
    kind,
    name,
    known: formatNameList(name, [...new Set([...first, ...likely])], total),
  });
}
