import type { Queryable } from './pool.ts';

/** Names of a kind that a person may mean, newest first; enough to recognize them, bounded so that a prompt stays small. */
const NAMES_PER_KIND = 500;

/** The names that exist now, by kind of thing. One round trip. */
export async function knownNames(db: Queryable): Promise<Readonly<Record<string, readonly string[]>>> {
  const { rows } = await db.query<{ project: string[]; server: string[] }>({
    name: 'known_names',
    text: `select array(select name from projects where status <> 'archived' order by created_at desc limit $1) as project,
                  array(select name from servers order by registered_at desc limit $1) as server`,
    values: [NAMES_PER_KIND],
  });
  const [row] = rows;
  return { project: row?.project ?? [], server: row?.server ?? [] };
}
