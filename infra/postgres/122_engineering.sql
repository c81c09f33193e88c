-- Changes to code: what was asked for, how far it is, the diff that a person approves, and what became of it.
create table engineering_changes (
  change_id   bigint generated always as identity primary key,
  action_id   text not null unique,       -- the action that asked for it
  project     text not null references projects (name),
  source      jsonb not null,             -- {kind: task, text} or {kind: finding, findingId}
  user_key    text not null,
  thread_id   text,
  run_id      text not null,              -- the newest job that works on it
  state       text not null default 'working' check (state in ('working', 'asking', 'proposed', 'opened', 'failed', 'stopped')),
  base_commit text,                       -- the commit that the diff is of; the first fetch decides
  question    text,                       -- what a node asks the person
  proposal    jsonb,                      -- the diff, its hash, the checks and the critic's word
  outcome     jsonb,                      -- branch, commit and pull request
  problem     text,
  created_at  timestamptz not null default clock_timestamp(),
  updated_at  timestamptz not null default clock_timestamp()
);
create index engineering_changes_by_project on engineering_changes (project, change_id desc);
create index engineering_changes_by_person on engineering_changes (user_key, change_id desc);
create trigger effect_noted after insert on engineering_changes for each row execute function effect_noted('action_id');

-- The steps of a change, in order; a killed job goes on behind the last one.
create table engineering_steps (
  change_id     bigint not null references engineering_changes on delete cascade,
  n             int not null,
  node          text not null check (node in ('planner', 'executor', 'critic', 'runtime', 'person')),
  kind          text not null,
  content       jsonb not null,
  hash          text not null,            -- SHA-256 of the content
  model         text,
  input_tokens  int not null default 0,
  output_tokens int not null default 0,
  cost_usd      float8,
  at            timestamptz not null default clock_timestamp(),
  primary key (change_id, n)
);
