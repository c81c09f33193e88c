-- Tags that people give projects, and which projects depend on which.

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
