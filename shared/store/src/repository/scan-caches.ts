import type { Queryable } from '../pool.ts';
import { listRows, sql } from '../sql.ts';

/** Reads scan caches of a project by name. Only scans read their contents; without a cache a scan takes longer. */
export async function readScanCaches(
  db: Queryable,
  project: string,
  names: readonly string[],
): Promise<Readonly<Record<string, Buffer>>> {
  const rows = await listRows<{ analyzer: string; content: Buffer }>(db)`
    select analyzer, content from repository_scan_caches where project = ${project} and analyzer = any (${names})`;
  return Object.fromEntries(rows.map(({ analyzer, content }) => [analyzer, content]));
}

/** Stores the caches of a scan in the transaction that stores its findings, so that neither is newer. */
export async function writeScanCaches(
  db: Queryable,
  project: string,
  caches: Readonly<Record<string, Buffer>>,
): Promise<void> {
  // In sorted order, so that concurrent writers do not deadlock.
  for (const [analyzer, content] of Object.entries(caches).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    await db.query(sql`
      insert into repository_scan_caches (project, analyzer, content) values (${project}, ${analyzer}, ${content})
        on conflict (project, analyzer) do update set content = excluded.content, updated_at = clock_timestamp()`);
}
