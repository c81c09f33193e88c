-- Rights: of the role that all services may take, and of rows. `migrate` gives each service the rights of its own role.

-- What the services may do. They log in as DATABASE_URL says and take this role on each connection, so that not even
-- the owner's password in a service lets it change what was recorded.
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
-- The same for what later migrations create. One that wants less for its tables revokes it there.
alter default privileges in schema public grant select, insert, update, delete on tables to signalbox_app;
alter default privileges in schema public grant usage, select on sequences to signalbox_app;

revoke update, delete on deployment_events from signalbox_app;
revoke all on audit_events, audit_unsealed, audit_chain, audit_checkpoints, audit_log from public, signalbox_app;
grant select on audit_events, audit_unsealed, audit_chain, audit_checkpoints, audit_log to signalbox_app;
revoke all on function audit_append(jsonb), audit_seal(bigint, bigint[], bytea[]), audit_checkpoint(bigint, bytea, bytea, text, text, bytea) from public;
grant execute on function audit_append(jsonb), audit_seal(bigint, bigint[], bytea[]), audit_checkpoint(bigint, bytea, bytea, text, text, bytea) to signalbox_app;
-- The migrator's own tables are read by `doctor` and written by `migrate` alone.
do $$
begin
  execute (select coalesce(string_agg(format('revoke insert, update, delete on %I from signalbox_app;', relname), ' '), 'select 1')
             from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and relname like 'kysely\_%');
end $$;

-- A pool of jobs has its own rows of the tables that all pools share. shared/store/src/migrations/service-rows.ts says which: `migrate`
-- makes a policy of it for the role of each service, since roles belong to the server and may be made after this. The policies bind
-- neither the owner of the tables nor the role of an installation that has one login for all services.
alter table runs enable row level security;
alter table inbox enable row level security;
alter table outbox enable row level security;
alter table approvals enable row level security;

create policy all_services on runs to signalbox_app using (true) with check (true);
create policy all_services on inbox to signalbox_app using (true) with check (true);
create policy all_services on outbox to signalbox_app using (true) with check (true);
create policy all_services on approvals to signalbox_app using (true) with check (true);

-- Whose job it is. `migrate` writes the names into it from the contract of the jobs.
create function job_pool(job text) returns text language sql immutable parallel safe as $$ select null::text $$;

-- Whether the card of a request stands in a chat: a pool changes cards where they are, and puts them nowhere else. With the owner's
-- rights, since a policy that looks into its own table would not end.
create function card_stands_in(approval text, chat text) returns boolean language sql stable security definer
  set search_path = pg_catalog, public as $$
  select exists (select from outbox o where o.chat_key = chat and o.slot = approval)
$$;
