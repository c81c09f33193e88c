-- How many findings are open is kept, so that nobody counts a million of them; and what lists of findings read is read by index.

create table repository_finding_counts (
  project  text not null references projects (name),
  analyzer text not null,
  open     int not null,                      -- those whose status says so; acceptances that have run out are counted when somebody asks
  primary key (project, analyzer)
);

-- Once per statement: what it took away, and what it added.
create function findings_counted() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if tg_op <> 'INSERT' then
    insert into repository_finding_counts as c (project, analyzer, open)
      select project, analyzer, -count(*) from old_rows where status = 'open' group by project, analyzer order by project, analyzer
      on conflict (project, analyzer) do update set open = c.open + excluded.open;
  end if;
  if tg_op <> 'DELETE' then
    insert into repository_finding_counts as c (project, analyzer, open)
      select project, analyzer, count(*) from new_rows where status = 'open' group by project, analyzer order by project, analyzer
      on conflict (project, analyzer) do update set open = c.open + excluded.open;
  end if;
  return null;
end $$;
create trigger counted_added after insert on repository_findings
  referencing new table as new_rows for each statement execute function findings_counted();
create trigger counted_changed after update on repository_findings
  referencing old table as old_rows new table as new_rows for each statement execute function findings_counted();
create trigger counted_removed after delete on repository_findings
  referencing old table as old_rows for each statement execute function findings_counted();
insert into repository_finding_counts (project, analyzer, open)
  select project, analyzer, count(*) from repository_findings where status = 'open' group by project, analyzer;

create index repository_findings_open_of on repository_findings (project, analyzer, severity desc, finding_id) where status = 'open';
create index repository_findings_run_out on repository_findings (project, accepted_until) where status = 'accepted';
drop index registry_entities_by_project;
create index registry_entities_newest on registry_entities (project, entity_type, updated_at desc, entity_id) where project is not null;
