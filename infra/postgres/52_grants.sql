-- A grant is used up and never filled again: whoever may use one, the worker, may not give itself more.

create function grant_only_falls() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  raise exception 'the uses of grant % may not rise', old.grant_id using errcode = 'insufficient_privilege';
end $$;
create trigger grant_only_falls before update of uses_left on grants
  for each row when (new.uses_left > old.uses_left) execute function grant_only_falls();
