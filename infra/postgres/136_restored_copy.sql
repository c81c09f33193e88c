-- The time of the backup from which this database was restored, until the copy is activated; else null. Services wait meanwhile.
create function restored_copy() returns timestamptz
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select (value ->> 'backupAt')::timestamptz from settings where key = 'restored_copy'
$$;
revoke all on function restored_copy() from public;
grant execute on function restored_copy() to signalbox_app;
