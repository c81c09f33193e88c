set local check_function_bodies = off;

-- Runs of long jobs. run_id is the id of the requesting action, and of the BullMQ job.
create table runs (
  run_id       text primary key,
  job          text not null,
  payload      jsonb not null,
  request_hash text,                  -- SHA-256 of who asked, in which conversation, by which tool, with which arguments; null without a tool
  user_key     text,
  chat_key     text,
  language     text,                  -- of whoever asked, at that time
  thread_id    text,
  trace_id     text not null,
  status       text not null default 'queued' check (status in ('queued', 'running', 'done', 'failed', 'cancelled')),
  progress     jsonb,
  result       jsonb,
  error        text,
  attempts     int not null default 0,
  epoch        int not null default 0, -- grows each time the run is taken; a process with an older one can no longer change it (fencing)
  created_at   timestamptz not null default now(),
  queued_at    timestamptz not null default now(),
  started_at   timestamptz,
  beat_at      timestamptz,           -- the last sign of life of the process that runs it; a silent run is given to another
  cancel_at    timestamptz,           -- a run that is under way stays `running` until its process has stopped; then it is `cancelled`
  cancel_by    text,                  -- a person's key, or `operator`
  finished_at  timestamptz
);
create index runs_open on runs (queued_at) where status in ('queued', 'running');
create index runs_by_thread on runs (thread_id, created_at);
create index runs_by_project on runs ((payload ->> 'project'), created_at) where status in ('queued', 'running');
create index runs_scheduled on runs (job, finished_at desc) where user_key is null and status in ('done', 'failed');

-- People search runs: the newest first, by job, person and project, and by words of the payload and the result.
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
create trigger effect_noted after insert on runs for each row execute function effect_noted('run_id');

-- Returns the pool of a job. `migrate` fills in the names of the jobs contract.
create function job_pool(job text) returns text language sql immutable parallel safe as $$ select null::text $$;

-- A job pool has its own rows of the tables that all pools share: runs, inbox, outbox and approvals. `migrate` creates the policies of
-- shared/store/src/migrations/service-rows.ts for each service's role, because roles belong to the server and may be created later. Policies
-- bind neither the owner of the tables nor the shared login of all services.
alter table runs enable row level security;
create policy all_services on runs to signalbox_app using (true) with check (true);

-- True when a conversation still waits for a run or for another person's decision.
create function thread_waits(t text) returns boolean language sql volatile as $$
  select exists (select 1 from runs r where r.thread_id = t and r.status in ('queued', 'running'))
      or exists (select 1 from approvals a where a.thread_id = t and a.status in ('pending', 'approved'))
$$;
