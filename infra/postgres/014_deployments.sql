-- What runs where: servers that were measured, services (a project in an environment), their deployments, and what went wrong.
--
--   a deployment:  queued ─▶ preparing ─▶ building ─▶ starting ─▶ health_checking ─▶ switching ─▶ verifying ─▶ draining ─▶ succeeded
--                  queued ─▶ cancelled · before switching ─▶ cancelling ─▶ cancelled
--                  any open state ─▶ failing ─▶ failed | rolled_back · a lost worker or link ─▶ unknown ─▶ where the target says it is
-- Transitions are compare-and-set on (state, fence); each leaves an event. The id of a deployment is the id of the action that
-- asked for it (its approval is found by that), and the id of its run (which knows the chat).

-- driver: how it is reached; null for a server that is only booked. connection: what the driver needs, secrets as handles.
-- host_key: the fingerprint that somebody has approved; host_key_seen: the one that answered last.
alter table servers add column driver text check (driver in ('process', 'docker', 'ssh'));
alter table servers add column connection jsonb not null default '{}';
alter table servers add column host_key text;
alter table servers add column host_key_seen text;
alter table servers add column disk_mb int;
alter table servers add column disk_free_mb int;
alter table servers add column memory_free_mb int;
alter table servers add column engine text;
alter table servers add column measured_at timestamptz;
alter table servers add column health text not null default 'unknown' check (health in ('unknown', 'up', 'down'));
alter table servers add column health_detail text;
alter table servers add column health_since timestamptz;
alter table servers add column checked_at timestamptz;
update servers set driver = 'process' where name = 'local';

-- A project in an environment: where it runs and what serves. fence grows with each deployment that takes the service; whoever
-- holds an older one can change neither the row nor the target. port: where people reach it, at the proxy.
create table services (
  project     text not null references projects (name),
  environment text not null check (environment in ('staging', 'production', 'local')),
  server      text not null references servers (name),
  port        int,
  serving     text,
  fence       bigint not null default 0,
  muted_until timestamptz,
  muted_by    text,
  -- the last look at it: {status, release, latencyMs, detail …}
  health      jsonb,
  health_at   timestamptz,
  -- how far its log was read for errors
  log_cursor  jsonb,
  created_at  timestamptz not null default now(),
  updated_at  timestamptz not null default now(),
  primary key (project, environment)
);

-- Environment variables of a service. A secret is a handle, opened in the name of the person who gave it.
create table service_variables (
  project     text not null,
  environment text not null,
  name        text not null check (name ~ '^[A-Za-z_][A-Za-z0-9_]{0,99}$'),
  value       text,
  secret      text,
  given_by    text not null,
  given_at    timestamptz not null default now(),
  action_id   text not null,
  primary key (project, environment, name),
  foreign key (project, environment) references services (project, environment),
  check ((value is null) <> (secret is null))
);

create table deployments (
  deployment_id text primary key,
  project       text not null,
  environment   text not null,
  server        text not null references servers (name),
  driver        text not null,
  kind          text not null check (kind in ('deploy', 'rollback')),
  ref           text not null,         -- what was asked for: a tag, a branch, a commit
  commit        text,                  -- what that was at the time
  release       text,                  -- what the instance has to report
  from_artifact text references deployments,  -- a rollback starts what this one built
  replaces      text references deployments,  -- what served before
  state         text not null default 'queued' check (state in ('queued', 'preparing', 'building', 'starting', 'health_checking',
                  'switching', 'verifying', 'draining', 'succeeded', 'failing', 'failed', 'rolled_back', 'cancelling', 'cancelled', 'unknown')),
  fence         bigint,
  user_key      text not null,
  thread_id     text,
  requested_at  timestamptz not null default now(),
  started_at    timestamptz,
  state_at      timestamptz not null default now(),
  deadline_at   timestamptz,           -- of the state
  progress_at   timestamptz,           -- the last sign that the state gets on
  finished_at   timestamptz,
  cancel_at     timestamptz,
  cancel_by     text,
  cancel_action text,
  instance      jsonb,                 -- the handle by which the driver finds it
  file          jsonb,                 -- what its signalbox.json says
  artifact      jsonb,
  artifact_kept boolean not null default false,
  port          int,                   -- of the instance, leased on the server
  url           text,                  -- where the service is reached
  failure       jsonb,                 -- {state, code, sentence, lines}
  foreign key (project, environment) references services (project, environment)
);
-- One at a time per service, whoever asks.
create unique index deployments_open on deployments (project, environment)
  where state not in ('succeeded', 'failed', 'rolled_back', 'cancelled');
create index deployments_by_service on deployments (project, environment, requested_at desc);
create index deployments_kept on deployments (project, environment, finished_at desc) where artifact_kept;

create table deployment_events (
  deployment_id text not null references deployments,
  n             int not null,
  at            timestamptz not null default clock_timestamp(),
  from_state    text,
  to_state      text not null,
  actor         text not null,         -- a person's key, or `system`
  fence         bigint,
  evidence      jsonb not null default '{}',
  primary key (deployment_id, n)
);
revoke update, delete on deployment_events from signalbox_app;

-- What builds and instances wrote while they were deployed, redacted, in order.
create table deployment_lines (
  deployment_id text not null references deployments,
  n             int not null,
  at            timestamptz not null default clock_timestamp(),
  state         text not null,
  line          text not null,
  primary key (deployment_id, n)
);

-- What went wrong, alike errors in one row: numbers, ids and quoted words do not tell them apart.
create table error_groups (
  project     text not null,
  environment text not null,
  fingerprint text not null,
  source      text not null check (source in ('log', 'deploy', 'health', 'tool', 'job')),
  sample      text not null,           -- redacted
  release     text,
  first_seen  timestamptz not null,
  last_seen   timestamptz not null,
  count       bigint not null,
  primary key (project, environment, fingerprint)
);
create index error_groups_recent on error_groups (last_seen desc);

-- Something that broke and that its owner was told of, once. subject: `service:shop/staging`, `server:vps-1`.
create table incidents (
  incident_id bigint generated always as identity primary key,
  subject     text not null,
  kind        text not null,
  detail      text not null,
  evidence    jsonb not null default '{}',
  told        text,                    -- the person
  opened_at   timestamptz not null default now(),
  closed_at   timestamptz
);
create unique index incidents_open on incidents (subject, kind) where closed_at is null;
create index incidents_by_subject on incidents (subject, opened_at desc);

-- A run that somebody cancelled. One that is under way stays `running` until whoever works on it has stopped; then it is `cancelled`.
-- cancel_by: a person's key, or `operator`.
alter table runs drop constraint runs_status_check;
alter table runs add constraint runs_status_check check (status in ('queued', 'running', 'done', 'failed', 'cancelled'));
alter table runs add column cancel_at timestamptz;
alter table runs add column cancel_by text;

-- Runs are looked for: the newest first, by job, person and project, and by words in what they are about and what came of them.
create index runs_recent on runs (created_at desc);
create index runs_by_job on runs (job, created_at desc);
create index runs_by_person on runs (user_key, created_at desc) where user_key is not null;
create index runs_of_project on runs ((payload ->> 'project'), created_at desc) where payload ? 'project';
create function run_words(job text, payload jsonb, result jsonb, error text) returns tsvector language sql immutable as $$
  -- Of what is long only the beginning: a tsvector has an end, and a run must be recorded whatever it found.
  select to_tsvector('simple', replace(job, '.', ' ') || ' ' || left(coalesce(error, ''), 4000) || ' ' || left(payload::text, 20000)
                               || ' ' || left(coalesce(result::text, ''), 20000))
$$;
create index runs_by_words on runs using gin (run_words(job, payload, result, error));
