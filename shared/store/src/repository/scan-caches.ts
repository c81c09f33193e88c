import type { Queryable } from '../pool.ts';
import { listRows, sql } from '../sql.ts';

/** What scans of a project have kept by name. Only a scan looks inside; what is lost or unreadable costs the next one time and nothing else. */
export async function readScanCaches(
  db: Queryable,
  project: string,
  names: readonly string[],
): Promise<Readonly<Record<string, Buffer>>> {
  const rows = await listRows<{ analyzer: string; content: Buffer }>(db)`
    select analyzer, content from repository_scan_caches where project = ${project} and analyzer = any (${names})`;
  return Object.fromEntries(rows.map(({ analyzer, content }) => [analyzer, content]));
}

/** Keeps what a scan knows now, in the transaction of what it found: neither is ever newer than the other. */
export async function writeScanCaches(
  db: Queryable,
  project: string,
  caches: Readonly<Record<string, Buffer>>,
): Promise<void> {
  // Always in one order, so that two writers do not wait for one another.
  for (const [analyzer, content] of Object.entries(caches).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    await db.query(sql`
      insert into repository_scan_caches (project, analyzer, content) values (${project}, ${analyzer}, ${content})
        on conflict (project, analyzer) do update set content = excluded.content, updated_at = clock_timestamp()`);
}
