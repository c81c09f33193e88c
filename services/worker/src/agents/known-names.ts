import type { NameWords } from '@signalbox/contracts/name-words';
import type { Queryable } from '@signalbox/store/pool';

/** The newest names of a kind: what a person may be offered, and how many there are as far as it matters whether there is one. */
const NEWEST = 100;
/** Names that one word may be a slip or a part of. */
const NEAR_PER_WORD = 12;

/** Names of a table that words may mean. Parameters: $1 as they stand, $2 without separators, $3 mistyped or shortened. */
const meant = (table: string, isThere: string, since: string): string =>
  `array(select t.name from ${table} t where ${isThere} and t.name in (
     (select name from ${table} where ${isThere} order by ${since} desc limit ${NEWEST})
     union select name from ${table} where name = any ($1)
     union select name from ${table} where replace(name, '-', '') = any ($2)
     union select near.name from unnest($3::text[]) w (word) cross join lateral (
       (select name from ${table} where ${isThere} order by name <-> w.word limit ${NEAR_PER_WORD})
       union all (select name from ${table} where ${isThere} order by w.word <<-> name limit ${NEAR_PER_WORD})) near)
   order by t.${since} desc, t.name)`;

/**
 * The names, by kind of thing, that these words may mean, however many there are, and the newest ones besides; the newest first. What
 * it costs does not grow with their number. One round trip.
 */
export async function knownNames(
  db: Queryable,
  { exact, bare, near }: NameWords,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const { rows } = await db.query<{ project: string[]; server: string[] }>({
    name: 'known_names',
    text: `select ${meant('projects', `status <> 'archived'`, 'created_at')} as project,
                  ${meant('servers', 'true', 'registered_at')} as server`,
    values: [exact, bare, near],
  });
  const [row] = rows;
  return { project: row?.project ?? [], server: row?.server ?? [] };
}
