-- Rights of the services. They log in as DATABASE_URL says and take this role on each connection, so a service cannot change the audit even
-- with the owner's password.
do $$
begin
  if not exists (select from pg_roles where rolname = 'signalbox_app') then
    create role signalbox_app nologin;
  end if;
exception
  when duplicate_object or unique_violation then null; -- another database of this server is being migrated right now
  when insufficient_privilege then
    raise exception 'the role signalbox_app is missing and % may not create it', current_user
      using hint = format('Ask an administrator of the server for: create role signalbox_app nologin; grant signalbox_app to %I;', current_user);
end $$;
do $$
begin
  set local role signalbox_app; -- the one way to ask that every version has
  reset role;
exception
  when insufficient_privilege then
    begin
      execute format('grant signalbox_app to %I', session_user);
    exception
      when insufficient_privilege then
        raise exception '% may not take the role signalbox_app', session_user
          using hint = format('Ask an administrator of the server for: grant signalbox_app to %I;', session_user);
    end;
end $$;
grant usage on schema public to signalbox_app;
grant select, insert, update, delete on all tables in schema public to signalbox_app;
grant usage, select on all sequences in schema public to signalbox_app;

-- Rights to the tables of later migrations. A migration that wants to grant less revokes it.
alter default privileges in schema public grant select, insert, update, delete on tables to signalbox_app;
alter default privileges in schema public grant usage, select on sequences to signalbox_app;

-- Only `migrate` writes the migrator's own tables, and `doctor` reads them.
do $$
begin
  execute (select coalesce(string_agg(format('revoke insert, update, delete on %I from signalbox_app;', relname), ' '), 'select 1')
             from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and relname like 'kysely\_%');
end $$;
