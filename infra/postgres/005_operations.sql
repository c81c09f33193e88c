-- What work is about and where it runs: projects, servers, ports.
-- Each effect carries the action id of the call that asked for it, unique, so that a repeated call has one effect.

create table projects (
  name        text primary key check (name ~ '^[a-z][a-z0-9]*(-[a-z0-9]+)*$' and length(name) between 2 and 40),
  description text not null,
  repository  text,
  status      text not null default 'intended' check (status in ('intended', 'active', 'archived')),
  owner       text not null,
  version     int not null default 1,
  action_id   text not null unique,
  created_at  timestamptz not null default now(),
  updated_at  timestamptz not null default now()
);

-- One row per change of a project: what was asked, by which action, and the version it led to.
create table project_changes (
  action_id text primary key,
  project   text not null references projects (name),
  change    jsonb not null,
  version   int not null,
  made_at   timestamptz not null default now(),
  unique (project, version)
);

create table servers (
  name          text primary key check (name ~ '^[a-z][a-z0-9]*(-[a-z0-9]+)*$' and length(name) between 2 and 40),
  host          text not null,
  environment   text not null check (environment in ('staging', 'production', 'local')),
  cpus          int not null check (cpus > 0),
  memory_mb     int not null check (memory_mb > 0),
  first_port    int not null check (first_port between 1 and 65535),
  last_port     int not null check (last_port between first_port and 65535),
  action_id     text not null unique,
  registered_at timestamptz not null default now()
);

-- Who holds which port of which server. Whoever allocates or releases locks the server's row first, so that the free ports and
-- the free memory are decided one at a time; the partial unique index holds even against somebody who forgets to.
create table port_allocations (
  id                bigint generated always as identity primary key,
  server            text not null references servers (name),
  port              int not null,
  project           text not null references projects (name),
  service           text not null,
  memory_mb         int not null default 0 check (memory_mb >= 0),
  allocated_by      text not null,
  allocated_at      timestamptz not null default now(),
  action_id         text not null unique,
  released_at       timestamptz,
  release_action_id text unique,
  check ((released_at is null) = (release_action_id is null))
);
create unique index port_allocations_held on port_allocations (server, port) where released_at is null;
create index port_allocations_by_project on port_allocations (project) where released_at is null;

-- beat_at: the last sign of life of the process that runs it; a run that is silent for too long is given to another.
-- epoch: grows each time the run is taken; whoever holds an older one can no longer change it (fencing).
alter table runs add column beat_at timestamptz;
alter table runs add column epoch int not null default 0;
create index runs_by_project on runs ((payload ->> 'project'), created_at) where status in ('queued', 'running');
create index runs_scheduled on runs (job, finished_at desc) where user_key is null and status in ('done', 'failed');
