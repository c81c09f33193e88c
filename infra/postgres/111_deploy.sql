set local check_function_bodies = off;

-- Projects, servers, ports, services, deployments and incidents. Each effect has the action id of its call, unique, so that a repeated call has
-- one effect.
create table projects (
  name        text primary key check (name ~ '^[a-z][a-z0-9]*(-[a-z0-9]+)*$' and length(name) between 2 and 40),
  description text not null,
  repository  text,
  repository_login jsonb,              -- for a private repository: {"handle": "secret:…", "givenBy": user_key}
  status      text not null default 'intended' check (status in ('intended', 'active', 'archived')),
  owner       text not null,
  version     int not null default 1,
  action_id   text not null unique,
  created_at  timestamptz not null default now(),
  updated_at  timestamptz not null default now()
);

-- Typed names are looked up exactly (the primary key), without separators, or by similarity.
create index projects_by_bare_name on projects (replace(name, '-', ''));
create index projects_by_likeness on projects using gist (name gist_trgm_ops);
create index projects_newest on projects (created_at desc) where status <> 'archived';

-- Frequent look-ups have indexes, so that no table is read whole. Names of archived projects are read as well.
create index projects_archived on projects (created_at desc) where status = 'archived';

-- Each turn reads what a prompt says about a person.
create index projects_by_owner on projects (owner, updated_at desc) where status <> 'archived';

-- One row per change of a project: the change, its action, and the resulting version.
create table project_changes (
  action_id text primary key,
  project   text not null references projects (name),
  change    jsonb not null,
  version   int not null,
  made_at   timestamptz not null default now(),
  unique (project, version)
);

create table servers (
  name            text primary key check (name ~ '^[a-z][a-z0-9]*(-[a-z0-9]+)*$' and length(name) between 2 and 40),
  host            text not null,
  environment     text not null check (environment in ('staging', 'production', 'local')),
  cpus            int not null check (cpus > 0),
  memory_mb       int not null check (memory_mb > 0),
  first_port      int not null check (first_port between 1 and 65535),
  last_port       int not null check (last_port between first_port and 65535),
  action_id       text not null unique,
  registered_at   timestamptz not null default now(),
  driver          text check (driver ~ '^[a-z][a-z0-9]{1,19}$'), -- how it is reached (shared/contracts/src/operations/drivers.ts); null: only booked
  connection      jsonb not null default '{}', -- what the driver needs, secrets as handles
  host_key        text,                        -- the fingerprint that a person has approved
  host_key_seen   text,                        -- the one that answered last
  disk_mb         int,
  disk_free_mb    int,
  memory_free_mb  int,
  engine          text,
  measured_at     timestamptz,
  health          text not null default 'unknown' check (health in ('unknown', 'up', 'down')),
  health_detail   text,
  health_since    timestamptz,
  checked_at      timestamptz
);
create index servers_by_bare_name on servers (replace(name, '-', ''));
create index servers_by_likeness on servers using gist (name gist_trgm_ops);
create index servers_newest on servers (registered_at desc);

-- The project that holds each port of a server. A call that allocates or releases ports locks the server's row first, which orders decisions
-- about free ports and memory. The partial unique index holds even for code without the lock.
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

-- A service: a project in an environment, with its server and serving deployment. `fence` grows with each deployment that takes the service; a
-- deployment with an older fence can change neither the row nor the target.
create table services (
  project     text not null references projects (name),
  environment text not null check (environment in ('staging', 'production', 'local')),
  server      text not null references servers (name),
  port        int,         -- where people reach it, at the proxy
  serving     text,
  fence       bigint not null default 0,
  muted_until timestamptz,
  muted_by    text,
  health      jsonb,       -- the last look at it: {status, release, latencyMs, detail …}
  health_at   timestamptz,
  look_at     timestamptz, -- a schedule takes a service for one look; a second one at the same time finds nothing to take
  log_cursor  jsonb,       -- how far its log was read for errors
  created_at  timestamptz not null default now(),
  updated_at  timestamptz not null default now(),
  primary key (project, environment)
);

-- The order of health probes.
create index services_due on services (look_at nulls first) where serving is not null;

-- Environment variables of a service. A secret is a handle, opened on behalf of the person who gave it.
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

-- A deployment:  queued ─▶ preparing ─▶ building ─▶ starting ─▶ health_checking ─▶ switching ─▶ verifying ─▶ draining ─▶ succeeded
--                queued ─▶ cancelled · before switching ─▶ cancelling ─▶ cancelled
--                any open state ─▶ failing ─▶ failed | rolled_back · a lost worker or link ─▶ unknown ─▶ where the target says it is
-- Transitions are compare-and-set on (state, fence); each leaves an event. The id of a deployment is the id of the action that
-- asked for it (its approval is found by that), and the id of its run (which knows the chat).
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
  -- What was decided: repository, commit, server, build, names of variables. The job runs that and nothing else.
  plan          jsonb,
  foreign key (project, environment) references services (project, environment)
);

-- A service has one unfinished deployment at most.
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

-- Output of builds and instances during a deployment, redacted, in order.
create table deployment_lines (
  deployment_id text not null references deployments,
  n             int not null,
  at            timestamptz not null default clock_timestamp(),
  state         text not null,
  line          text not null,
  primary key (deployment_id, n)
);

-- Groups of similar errors: numbers, ids and quoted words are ignored when comparing.
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

-- Errors per minute, which tell the last hour from all time and a burst from the usual rate. Kept for a day.
create table error_minutes (
  project     text not null,
  environment text not null,
  minute      timestamptz not null,
  count       bigint not null,
  primary key (project, environment, minute)
);

-- An incident. subject: `service:shop/staging`, `server:vps-1`. One person is notified once, in a conversation that they can answer.
--
--   open ─▶ told (one person, one inbox row of kind 'incident') ─▶ closed (one more row for the notified person)
-- A probe that finds the same problem again changes nothing; of two concurrent probes, one notifies.
create table incidents (
  incident_id bigint generated always as identity primary key,
  subject     text not null,
  kind        text not null,
  detail      text not null,
  evidence    jsonb not null default '{}',
  told        text,                    -- the person
  told_chat   text,                    -- where; the line that it is well again goes there too
  told_at     timestamptz,
  news        jsonb,                   -- what is to be said while it has reached nobody
  waits_since timestamptz,             -- since when nobody could be told
  opened_at   timestamptz not null default now(),
  closed_at   timestamptz
);
create unique index incidents_open on incidents (subject, kind) where closed_at is null;
create index incidents_by_subject on incidents (subject, opened_at desc);
create index incidents_recent on incidents (opened_at desc);
create index incidents_waiting on incidents (waits_since) where waits_since is not null;

-- Writes to these tables mark the effect of an action: see action_effects.
create trigger effect_noted after insert on projects for each row execute function effect_noted('action_id');
create trigger effect_noted after insert on project_changes for each row execute function effect_noted('action_id');
create trigger effect_noted after insert on servers for each row execute function effect_noted('action_id');
create trigger effect_noted after insert on port_allocations for each row execute function effect_noted('action_id');
create trigger release_noted after update of release_action_id on port_allocations for each row execute function effect_noted('release_action_id');
create trigger effect_noted after insert or update of action_id on service_variables for each row execute function effect_noted('action_id');
create trigger effect_noted after insert on deployments for each row execute function effect_noted('deployment_id');
create trigger cancel_noted after update of cancel_action on deployments for each row execute function effect_noted('cancel_action');

-- Finds the reachable people among these, in order and each once.
--   out: the account and its chat: the private chat if they ever wrote there, else the chat where they wrote last
-- Leaves out people without a role, programs, people who never wrote, and parked chats. Has the owner's rights, because job pools cannot read
-- messages; it returns no more of a chat than its key.
create function find_recipients(people text[]) returns table (user_key text, chat_key text, is_private boolean)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  with asked as (
    select u.person, min(k.place) as place, (array_agg(k.key order by k.place))[1] as first_key
      from unnest(people) with ordinality as k (key, place) join users u on u.user_key = k.key group by u.person)
  select r.user_key, r.chat_key, r.is_private from asked a,
         lateral (
           select u.user_key, c.chat_key, c.is_private
             from users u,
                  lateral (
                    select i.id, i.chat_key, chat_root(i.chat_key) = private_chat(u.user_key) as is_private from inbox i
                     where i.user_key = u.user_key and i.channel not in ('system', 'jobs')
                       and not exists (select from chats x where x.chat_key in (i.chat_key, chat_root(i.chat_key)) and x.parked_at is not null)
                     order by 3 desc, i.id desc limit 1) c
            where u.person = a.person and not u.is_program
            order by c.is_private desc, u.user_key = a.first_key desc, c.id desc limit 1) r
   order by a.place
$$;
revoke all on function find_recipients(text[]) from public;
grant execute on function find_recipients(text[]) to signalbox_app;

-- The version of the names that a conversation may mean. It grows in the transaction that changes a name, so a worker reads all names again
-- only for a new version.
create table names_version (
  is_only boolean primary key default true check (is_only),
  version bigint  not null
);
insert into names_version (version) values (1);

create function names_changed() returns trigger language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  update names_version set version = version + 1;
  return null;
end $$;
create trigger projects_named after insert or delete or truncate or update of name, status on projects for each statement execute function names_changed();
create trigger servers_named after insert or delete or truncate or update of name on servers for each statement execute function names_changed();
revoke insert, update, delete on names_version from signalbox_app;
