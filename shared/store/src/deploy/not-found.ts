import { AppError } from '@signalbox/contracts/errors';
import { MAX_LISTED_NAMES, listNames } from '@signalbox/contracts/nearest-name';
import type { Queryable } from '../pool.ts';
import { sql } from '../sql.ts';

const NAMES = {
  project: sql`select name from projects where status <> 'archived'`,
  server: sql`select name from servers`,
  service: sql`select project || '/' || environment as name from services`,
} as const;

/** How many of the names that look most like the one that was typed are compared with it. */
const LIKELY = 20;

/** The NOT_FOUND error for a name, with the names that exist and the one that was probably meant, however many there are. */
export async function nameNotFound(db: Queryable, kind: keyof typeof NAMES, name: string): Promise<AppError> {
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
  return new AppError('NOT_FOUND', { kind, name, known: listNames(name, [...new Set([...first, ...likely])], total) });
}
