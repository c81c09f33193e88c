-- The version of the names that a conversation may mean. It grows in the transaction that changes one, so a worker that has read all names
-- need not read them again before it sees another version.
create table names_version (
  is_only boolean primary key default true check (is_only),
  version bigint  not null
);
insert into names_version (version) values (1);

create function names_changed() returns trigger language plpgsql security definer set search_path = pg_catalog, public as $$
begin
  update names_version set version = version + 1;
  return null;
end $$;

create trigger projects_named after insert or delete or truncate or update of name, status on projects for each statement execute function names_changed();
create trigger servers_named after insert or delete or truncate or update of name on servers for each statement execute function names_changed();

revoke insert, update, delete on names_version from signalbox_app;
