import type { Queryable } from './pool.ts';
import { sql, type Sql } from './sql.ts';

/** Stores a setting, given as an expression of type jsonb, under this key. Writes nothing when the value is the same. */
export async function putSetting(db: Queryable, key: string, value: Sql): Promise<void> {
  await db.query(sql`insert into settings (key, value) values (${key}, ${value})
    on conflict (key) do update set value = excluded.value, updated_at = now() where settings.value <> excluded.value`);
}
