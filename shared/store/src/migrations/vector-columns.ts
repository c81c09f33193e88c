import type { Queryable } from '../pool.ts';

/** Why searches have no vectors: the server lacks the extension, `migrate` may not create it, it is too old, or `migrate` has to run. */
export type VectorState = 'ready' | 'missing' | 'forbidden' | 'old' | 'unmigrated';

const TABLES = ['code_vectors', 'manual_vectors'] as const;

const HAS_COLUMNS = `(select count(*) = ${TABLES.length} from pg_attribute
  where attrelid in (${TABLES.map((table) => `to_regclass('public.${table}')`).join(', ')}) and attname = 'embedding' and not attisdropped)`;

/**
 * Creates the extension `vector` where the server has it and this login may, and adds the vectors' columns where the extension is. Changes
 * nothing elsewhere. Idempotent; every `migrate` calls it, so that a server that gets the extension later is served too.
 */
export async function addVectorColumns(owner: Queryable): Promise<void> {
  await owner.query(`do $$ begin
    if to_regtype('vector') is null and exists (select from pg_available_extensions where name = 'vector') then
      begin
        create extension vector;
      exception when others then null; -- doctor says that an administrator has to create it
      end;
    end if;
    if to_regtype('halfvec') is not null and not ${HAS_COLUMNS} then
      truncate ${TABLES.join(', ')};
      ${TABLES.map((table) => `alter table ${table} add column if not exists embedding halfvec;`).join('\n      ')}
      -- A search reads them all, so they stay in the row.
      ${TABLES.map((table) => `alter table ${table} set (toast_tuple_target = 8160); alter table ${table} alter column embedding set storage main;`).join('\n      ')}
    end if;
  end $$`);
}

/** Says whether searches can rank vectors on this server, and if not, why. */
export async function readVectorState(db: Queryable): Promise<VectorState> {
  const { rows } = await db.query<{ state: VectorState }>(`select case
    when ${HAS_COLUMNS} then 'ready'
    when to_regtype('halfvec') is not null then 'unmigrated'
    when to_regtype('vector') is not null then 'old'
    when exists (select from pg_available_extensions where name = 'vector') then 'forbidden'
    else 'missing' end as state`);
  return rows[0]?.state ?? 'missing';
}
