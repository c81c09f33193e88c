import type pg from 'pg';

/** What two databases have in common when they have the same tables, functions and rights. The order of columns is left out. */
const PARTS = {
  columns: `select c.relname || '.' || a.attname as name,
      concat_ws(' ', format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity, a.attgenerated, a.attstorage,
                pg_get_expr(d.adbin, d.adrelid)) as made
    from pg_attribute a join pg_class c on c.oid = a.attrelid left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v') and a.attnum > 0 and not a.attisdropped`,
  tables: `select relname as name, concat_ws(' ', relkind, relrowsecurity, relforcerowsecurity, reloptions::text) as made
    from pg_class where relnamespace = 'public'::regnamespace`,
  constraints: `select conrelid::regclass || '.' || conname as name, pg_get_constraintdef(oid) as made
    from pg_constraint where connamespace = 'public'::regnamespace`,
  indexes: `select indexname as name, indexdef as made from pg_indexes where schemaname = 'public'`,
  triggers: `select tgrelid::regclass || '.' || tgname as name, concat_ws(' ', tgenabled, pg_get_triggerdef(oid)) as made
    from pg_trigger where not tgisinternal`,
  functions: `select p.oid::regprocedure::text as name,
      concat_ws(' ', l.lanname, pg_get_function_arguments(p.oid), pg_get_function_result(p.oid), p.provolatile, p.prosecdef, p.proparallel,
                p.proisstrict, p.proconfig::text,
                regexp_replace(regexp_replace(p.prosrc, '--[^\\n]*', '', 'g'), '\\s+', ' ', 'g')) as made
    from pg_proc p join pg_language l on l.oid = p.prolang where p.pronamespace = 'public'::regnamespace`,
  policies: `select tablename || '.' || policyname as name, concat_ws(' ', permissive, roles::text, cmd, qual, with_check) as made
    from pg_policies where schemaname = 'public'`,
  tableRights: rightsOf(`select relname, relacl from pg_class where relnamespace = 'public'::regnamespace`),
  columnRights: rightsOf(
    `select c.relname || '.' || a.attname, a.attacl from pg_attribute a join pg_class c on c.oid = a.attrelid
      where c.relnamespace = 'public'::regnamespace`,
  ),
  functionRights: rightsOf(
    `select oid::regprocedure::text, proacl from pg_proc where pronamespace = 'public'::regnamespace`,
  ),
  defaultRights: rightsOf(`select 'default ' || defaclobjtype::text, defaclacl from pg_default_acl`),
  schemaRights: rightsOf(`select nspname, nspacl from pg_namespace where nspname = 'public'`),
  extensions: `select extname as name, extversion as made from pg_extension`,
} as const;

/** Every part of the schema, as `name: how it was made`, in the order of the names. */
export async function describeSchema(db: pg.Pool): Promise<Readonly<Record<string, readonly string[]>>> {
  const described = Object.entries(PARTS).map(async ([part, query]): Promise<[string, string[]]> => {
    const { rows } = await db.query<{ name: string; made: string }>(query);
    return [part, rows.map(({ name, made }) => `${name}: ${made}`).toSorted()];
  });
  return Object.fromEntries(await Promise.all(described));
}

/** Null means the default rights, which is not the same as none. */
function rightsOf(objects: string): string {
  return `select name, coalesce(string_agg(right_of, ', ' order by right_of), 'as made') as made
    from (${objects}) o (name, acl)
    left join lateral (
      select concat_ws(' ', coalesce(r.rolname, 'public'), x.privilege_type, x.is_grantable) as right_of
        from aclexplode(o.acl) x left join pg_roles r on r.oid = x.grantee) e on true
    group by name`;
}
