import type { Queryable } from '@signalbox/store/pool';
import { findValue, hasRow } from '@signalbox/store/sql';

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
  return hasRow(db)`insert into policy_sets (version, files)
      values (${version}, ${JSON.stringify(files)}::jsonb) on conflict do nothing`;
}

/** The files of a policy set that was in use once; null when no set of that version was. */
export async function findPolicySet(db: Queryable, version: string): Promise<readonly StoredPolicyFile[] | null> {
  return findValue<StoredPolicyFile[]>(db)`select files from policy_sets
      where version = ${version}`;
}
