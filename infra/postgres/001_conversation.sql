-- Who may speak, what was said, what is running, what goes out.

create table users (
  user_key   text primary key,
  channel    text not null,
  name       text not null,
  role       text not null check (role in ('viewer', 'developer', 'operator', 'admin')),
  created_at timestamptz not null default now()
);

create table settings (
  key        text primary key,
  value      jsonb not null,
  updated_at timestamptz not null default now()
);

-- Every inbound envelope, in order of arrival. `outcome` is null until it is settled, and is set exactly once.
create table inbox (
  id          bigint generated always as identity primary key,
  channel     text not null,
  bot         text not null,
  update_id   text not null,
  user_key    text not null,
  chat_key    text not null,
  kind        text not null,
  envelope    jsonb not null,
  trace_id    text not null,
  received_at timestamptz not null default now(),
  held_until  timestamptz, -- no turn takes it before, because parts of it may still come; what came after it waits too
  outcome     text check (outcome in ('answered', 'merged', 'refused', 'stopped', 'expired', 'dead-lettered')),
  reason      text,
  turn_id     text,
  settled_at  timestamptz,
  unique (channel, bot, update_id)
);
create index inbox_open on inbox (user_key, id) where outcome is null;
create index inbox_by_person on inbox (user_key, id desc);

-- One lane per person: who works on it (worker, lease_until), and the fencing token (epoch).
create table lanes (
  user_key    text primary key,
  epoch       bigint not null default 0,
  worker      text,
  lease_until timestamptz,
  attempts    int not null default 0,   -- begins without progress that count towards the dead letter
  begun       int not null default 0,   -- begins since the last end of a turn: more than one means that a run was cut off
  not_before  timestamptz,
  woken_at    timestamptz,
  stop_before bigint not null default 0,
  taken_to    bigint not null default 0 -- while begun > 0: the last message of the turn that was begun
) with (fillfactor = 50);

create table threads (
  thread_id      text primary key,
  user_key       text not null,
  n              int not null,
  chat_key       text not null,
  agent          text not null,
  status         text not null default 'open' check (status in ('open', 'finished', 'expired', 'closed')),
  awaiting       boolean not null default false,
  title          text,
  summary        text,
  created_at     timestamptz not null default now(),
  last_active_at timestamptz not null default now(),
  ended_at       timestamptz,
  announced      boolean not null default false,
  unique (user_key, n)
);
create unique index threads_open on threads (user_key, chat_key, agent) where status = 'open';
create index threads_idle on threads (last_active_at) where status = 'open';

-- The last number given to a person. Kept apart from `threads`, so that pruning old threads never frees a number.
create table thread_sequences (
  user_key text primary key,
  last_n   int not null
);

create table turns (
  turn_id    text primary key,
  thread_id  text,
  user_key   text not null,
  epoch      bigint not null,
  worker     text not null,
  trace_id   text not null,
  model      text,
  outcome    text not null check (outcome in ('answered', 'waiting', 'finished', 'limit', 'stopped', 'failed', 'notice', 'dead-lettered')),
  passes     int not null default 0,
  tool_calls int not null default 0,
  usage      jsonb,
  error      text,
  started_at timestamptz not null,
  ended_at   timestamptz not null default now()
);
create index turns_by_thread on turns (thread_id, started_at);

create table chats (
  chat_key      text primary key,
  epoch         bigint not null default 0,
  sender        text,
  lease_until   timestamptz,
  not_before    timestamptz,
  woken_at      timestamptz,
  parked_at     timestamptz,
  parked_reason text
) with (fillfactor = 50);

-- Everything that a person sees. A row is written before it is announced, and settled by the gateway's receipt.
create table outbox (
  id         bigint generated always as identity primary key,
  key        text not null unique,
  chat_key   text not null,
  user_key   text,
  thread_id  text,
  turn_id    text,
  trace_id   text not null,
  priority   smallint not null,
  slot       text,
  body       jsonb not null,
  status     text not null default 'pending'
             check (status in ('pending', 'sending', 'sent', 'superseded', 'undeliverable', 'failed')),
  attempts   int not null default 0,
  created_at timestamptz not null default now(),
  sent_at    timestamptz,
  receipt    jsonb,
  error      text
);
create index outbox_open on outbox (chat_key, priority, id) where status in ('pending', 'sending');
create index outbox_slot on outbox (chat_key, slot, id desc) where slot is not null;
create index outbox_by_person on outbox (user_key, id desc);

-- One row per effect that an agent asked for: the intent is written before it runs, the result after.
create table actions (
  action_id  text primary key,
  turn_id    text not null,
  thread_id  text not null,
  user_key   text not null,
  tool       text not null,
  arguments  jsonb not null,
  epoch      bigint not null,
  status     text not null check (status in ('started', 'done', 'failed', 'unknown')),
  result     jsonb,
  error_code text,
  started_at timestamptz not null default now(),
  settled_at timestamptz
);
create index actions_by_thread on actions (thread_id, started_at);

-- Long work. run_id is the action id that asked for it, and the BullMQ job id.
create table runs (
  run_id      text primary key,
  job         text not null,
  payload     jsonb not null,
  user_key    text,
  chat_key    text,
  thread_id   text,
  trace_id    text not null,
  status      text not null default 'queued' check (status in ('queued', 'running', 'done', 'failed')),
  progress    jsonb,
  result      jsonb,
  error       text,
  attempts    int not null default 0,
  created_at  timestamptz not null default now(),
  queued_at   timestamptz not null default now(),
  started_at  timestamptz,
  finished_at timestamptz
);
create index runs_open on runs (queued_at) where status in ('queued', 'running');
create index runs_by_thread on runs (thread_id, created_at);

create table dead_letters (
  id          text primary key,
  source      text not null check (source in ('inbound', 'outbound', 'job', 'stream')),
  ref         text not null,
  user_key    text,
  reason      text not null,
  body        jsonb not null,
  created_at  timestamptz not null default now(),
  resolved_at timestamptz,
  unique (source, ref)
);
