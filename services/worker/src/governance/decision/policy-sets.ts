import type { Queryable } from '@signalbox/store/pool';
import { sql } from '@signalbox/store/sql';

/** One file of a policy set. */
export interface StoredPolicyFile {
  readonly name: string;
  readonly text: string;
}

/** Keeps the files of a policy set by its version. False when they are kept already. */
export async function putPolicySet(
  db: Queryable,
  version: string,
  files: readonly StoredPolicyFile[],
): Promise<boolean> {
  const { rowCount } = await db.query(sql`insert into policy_sets (version, files)
      values (${version}, ${JSON.stringify(files)}::jsonb) on conflict do nothing`);
  return rowCount === 1;
}

/** The files of a policy set that was in use once; null when no set of that version was. */
export async function findPolicySet(db: Queryable, version: string): Promise<readonly StoredPolicyFile[] | null> {
  const { rows } = await db.query<{ files: StoredPolicyFile[] }>(sql`select files from policy_sets
      where version = ${version}`);
  return rows[0]?.files ?? null;
}
