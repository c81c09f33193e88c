-- Repositories: runs of chains and their steps, findings and decisions about them, registry and snapshots.
set local check_function_bodies = off;

-- One row per run of a chain. The job of the same id does the work.
create table repository_runs (
  run_id      text primary key,
  project     text not null references projects (name),
  chain       text not null,
  ref         text not null,                  -- what was asked for: a branch, a tag, a commit, HEAD
  commit_id   text,                           -- what it was then; null before it was looked up
  status      text not null default 'running' check (status in ('running', 'completed', 'failed', 'stopped')),
  is_dry      boolean not null,
  user_key    text,                           -- who asked; null for nobody
  problem     text,
  counts      jsonb,                          -- at the end: opened, reopened, fixed, open
  started_at  timestamptz not null default clock_timestamp(),
  finished_at timestamptz
);
create index repository_runs_newest on repository_runs (project, started_at desc);
create index repository_runs_finished on repository_runs (project, chain, finished_at desc) where status = 'completed' and not is_dry;

-- Finds the last scan of a repository by any chain.
create index repository_runs_scanned on repository_runs (project, finished_at desc) where status = 'completed' and not is_dry;

-- One row per started step. An interrupted step starts again; an ended one does not.
create table repository_agent_runs (
  run_id      text not null references repository_runs,
  step        int not null,
  agent       text not null,
  agent_class text not null,
  status      text not null default 'running' check (status in ('running', 'completed', 'failed', 'stopped')),
  output      jsonb,
  problem     text,
  begun       int not null default 1,         -- how often it has begun
  started_at  timestamptz not null default clock_timestamp(),
  finished_at timestamptz,
  primary key (run_id, step)
);

create table repository_findings (
  finding_id      bigint generated always as identity primary key,
  project         text not null references projects (name),
  fingerprint     text not null check (fingerprint ~ '^[0-9a-f]{32}$'), -- of rule, path and what makes it itself
  analyzer        text not null,
  rule            text not null,
  severity        smallint not null check (severity between 0 and 4),   -- info, low, medium, high, critical
  path            text not null,
  line            int,
  evidence        text not null,                                        -- without secrets
  "values"        jsonb not null,
  status          text not null default 'open' check (status in ('open', 'accepted', 'fixed')),
  times_reopened  int not null default 0,
  first_run       text not null,
  first_commit    text not null,
  changed_run     text not null,              -- the run, or the action of a person, that gave it its status
  first_seen_at   timestamptz not null default clock_timestamp(),
  changed_at      timestamptz not null default clock_timestamp(),
  accepted_by     text,
  accepted_reason text,
  accepted_until  timestamptz,                -- null: for good
  unique (project, fingerprint),
  check ((status = 'accepted') = (accepted_by is not null))
);
create index repository_findings_open on repository_findings (project, severity desc, finding_id) where status = 'open';
create index repository_findings_accepted on repository_findings (project, severity desc, finding_id) where status = 'accepted';
create index repository_findings_fixed on repository_findings (project, severity desc, finding_id) where status = 'fixed';
create index repository_findings_kept on repository_findings (project, analyzer) where status <> 'fixed';
create index repository_findings_changed on repository_findings (project, changed_run);
create index repository_findings_open_of on repository_findings (project, analyzer, severity desc, finding_id) where status = 'open';
create index repository_findings_run_out on repository_findings (project, accepted_until) where status = 'accepted';

-- Decisions of people. Rows never change.
create table repository_decisions (
  action_id  text not null,
  project    text not null,
  kind       text not null check (kind in ('accept', 'reopen', 'baseline', 'snapshot', 'restore', 'tag', 'untag')),
  about      text not null,                   -- the finding, the baseline, the snapshot
  reason     text,
  until      timestamptz,
  user_key   text not null,
  made_at    timestamptz not null default clock_timestamp(),
  primary key (action_id, about)
);
create index repository_decisions_newest on repository_decisions (project, made_at desc);

-- Entities of the registry, such as baselines, with checksums.
create table registry_entities (
  entity_type text not null check (entity_type ~ '^[a-z_]{1,40}$'),
  entity_id   text not null check (length(entity_id) between 1 and 200),
  project     text references projects (name), -- null for what belongs to no project
  data        jsonb not null,
  checksum    text not null check (checksum ~ '^[0-9a-f]{64}$'), -- SHA-256 of the canonical data
  created_at  timestamptz not null default clock_timestamp(),
  updated_at  timestamptz not null default clock_timestamp(),
  primary key (entity_type, entity_id)
);
create index registry_entities_newest on registry_entities (project, entity_type, updated_at desc, entity_id) where project is not null;

-- Reports and documents that agents wrote. Paths lie within the bounds of the agent's class.
create table repository_artifacts (
  run_id    text not null references repository_runs,
  path      text not null,
  agent     text not null,
  mime_type text not null,
  sha256    text not null,
  bytes     bytea not null,
  made_at   timestamptz not null default clock_timestamp(),
  primary key (run_id, path)
);

-- Caches by analyzer, compressed, that save the next scan work.
create table repository_scan_caches (
  project    text not null references projects (name),
  analyzer   text not null,
  content    bytea not null,
  updated_at timestamptz not null default clock_timestamp(),
  primary key (project, analyzer)
);

create table repository_snapshots (
  snapshot_id bigint generated always as identity primary key,
  project     text not null references projects (name),
  action_id   text not null unique,
  reason      text not null,
  findings    int not null,
  content     bytea not null,
  checksum    text not null,                  -- SHA-256 of the content
  user_key    text not null,
  made_at     timestamptz not null default clock_timestamp()
);
create index repository_snapshots_newest on repository_snapshots (project, snapshot_id desc);
create trigger effect_noted after insert on repository_decisions for each row execute function effect_noted('action_id');
revoke update, delete on repository_decisions, repository_snapshots from signalbox_app;

-- Counts of open findings are stored, because counting a million rows is slow; lists of findings read indexes.
create table repository_finding_counts (
  project  text not null references projects (name),
  analyzer text not null,
  severity smallint not null,
  open     int not null,                      -- those whose status says so; acceptances that have run out are counted when somebody asks
  primary key (project, analyzer, severity)
);

-- Runs once per statement, with the removed and the added rows.
create function findings_counted() returns trigger
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
create trigger counted_added after insert on repository_findings
  referencing new table as new_rows for each statement execute function findings_counted();
create trigger counted_changed after update on repository_findings
  referencing old table as old_rows new table as new_rows for each statement execute function findings_counted();
create trigger counted_removed after delete on repository_findings
  referencing old table as old_rows for each statement execute function findings_counted();

-- Tags of projects, dependencies between projects, and the severity of their open findings.
create table project_tags (
  project  text not null references projects (name),
  tag      text not null check (length(tag) between 1 and 40 and tag is nfc normalized),
  user_key text not null,                     -- who gave it
  given_at timestamptz not null default clock_timestamp(),
  primary key (project, tag)
);
create index project_tags_by_tag on project_tags (tag, project);

-- Packages that a project's repository contains, and packages that its manifests require, as of the newest scan: `npm react`.
create table project_packages (
  project    text not null references projects (name),
  is_offered boolean not null,
  package    text not null check (length(package) between 1 and 300),
  primary key (project, is_offered, package)
);
create index project_packages_offered on project_packages (package, project) where is_offered;
create index project_packages_used on project_packages (package, project) where not is_offered;

-- A project depends on each project that offers a package it uses. Names are not verified, so a name that two projects claim relates to both.
create view project_relationships as
  select u.project, o.project as depends_on, u.package
    from project_packages u
    join project_packages o on o.package = u.package and o.is_offered
   where not u.is_offered and o.project <> u.project;

-- A run whose job was cancelled or has used up its time or attempts ends as well, and so does its current step.
create function chain_over() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  update repository_agent_runs set status = 'stopped', problem = coalesce(new.error, new.status), finished_at = clock_timestamp()
   where run_id = new.run_id and status = 'running';
  update repository_runs set status = 'stopped', problem = coalesce(new.error, new.status), finished_at = clock_timestamp()
   where run_id = new.run_id and status = 'running';
  return null;
end $$;
create trigger chain_over after update of status on runs for each row
  when (new.job = 'repository.chain' and new.status in ('done', 'failed', 'cancelled')) execute function chain_over();
