-- Tags that people give projects, which projects depend on which, and how severe what is open in each of them is.

create table project_tags (
  project  text not null references projects (name),
  tag      text not null check (length(tag) between 1 and 40 and tag is nfc normalized),
  user_key text not null,                     -- who gave it
  given_at timestamptz not null default clock_timestamp(),
  primary key (project, tag)
);
create index project_tags_by_tag on project_tags (tag, project);

-- Giving and taking one is a decision like others, whose row marks its action.
alter table repository_decisions
  drop constraint repository_decisions_kind_check,
  add constraint repository_decisions_kind_check
    check (kind in ('accept', 'reopen', 'baseline', 'snapshot', 'restore', 'tag', 'untag'));

-- When a repository was last scanned, whatever for.
create index repository_runs_scanned on repository_runs (project, finished_at desc) where status = 'completed' and not is_dry;

-- The packages that lie in the repository of a project, and those that its manifests ask for, as its newest scan read them: `npm react`.
create table project_packages (
  project    text not null references projects (name),
  is_offered boolean not null,
  package    text not null check (length(package) between 1 and 300),
  primary key (project, is_offered, package)
);
create index project_packages_offered on project_packages (package, project) where is_offered;
create index project_packages_used on project_packages (package, project) where not is_offered;

-- A project depends on each that offers a package it uses. Nobody vouches for a name, so one that two projects claim relates to both.
create view project_relationships as
  select u.project, o.project as depends_on, u.package
    from project_packages u
    join project_packages o on o.package = u.package and o.is_offered
   where not u.is_offered and o.project <> u.project;

-- Open findings are counted by severity too: `findings_counted` of 31, with one more column.
truncate repository_finding_counts;
alter table repository_finding_counts
  add column severity smallint not null,
  drop constraint repository_finding_counts_pkey,
  add primary key (project, analyzer, severity);
create or replace function findings_counted() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if tg_op <> 'INSERT' then
    insert into repository_finding_counts as c (project, analyzer, severity, open)
      select project, analyzer, severity, -count(*) from old_rows where status = 'open' group by 1, 2, 3 order by 1, 2, 3
      on conflict (project, analyzer, severity) do update set open = c.open + excluded.open;
  end if;
  if tg_op <> 'DELETE' then
    insert into repository_finding_counts as c (project, analyzer, severity, open)
      select project, analyzer, severity, count(*) from new_rows where status = 'open' group by 1, 2, 3 order by 1, 2, 3
      on conflict (project, analyzer, severity) do update set open = c.open + excluded.open;
  end if;
  return null;
end $$;
insert into repository_finding_counts (project, analyzer, severity, open)
  select project, analyzer, severity, count(*) from repository_findings where status = 'open' group by 1, 2, 3;
