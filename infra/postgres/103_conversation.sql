-- Conversations: what was said, the threads of each person, what a turn did and made, and checkpoints.
set local check_function_bodies = off;

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

-- Answers to programs are found by the trace and the turn of their event. These indexes hold rows of programs only.
create index inbox_of_programs_by_trace on inbox (trace_id) where user_key like 'ingress-%';
create index inbox_of_programs_by_turn on inbox (turn_id) where user_key like 'ingress-%';

-- Row policies by service: see 110_jobs.sql.
alter table inbox enable row level security;
create policy all_services on inbox to signalbox_app using (true) with check (true);

-- One lane per person: the worker that holds it (worker, lease_until) and the fencing token (epoch). Attempts count failures that a message
-- caused itself. A process that dies without releasing its lanes is not charged at first: its open messages become suspects, and a process
-- takes one suspect at a time. Only a suspect whose process dies again is charged, so each further death is charged to one message.
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
  taken_to    bigint not null default 0, -- while begun > 0: the last message of the turn that was begun
  holder      text,                     -- the process that took the lane last; a worker's name may come back, this does not
  suspect     boolean not null default false, -- taken after a process that ended in silence
  lost_by     text,                     -- that process
  charged_by  text[] not null default '{}' -- processes whose silent end was counted; one that turns out to be alive takes it back
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

-- The last thread number of each person, stored apart from `threads` so that pruning old threads never frees a number.
create table thread_sequences (
  user_key text primary key,
  last_n   int not null
);

-- Conversations that have read outside text, for as long as they last. The row is written before the text is read. Only words that the person
-- wrote after `last_at` may justify a call.
create table thread_taints (
  thread_id text primary key,
  source    text not null,              -- the tool, or the kind of message, that read first
  first_at  timestamptz not null default clock_timestamp(),
  last_at   timestamptz not null default clock_timestamp()
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
create index turns_by_person on turns (user_key, started_at);

-- Files that tools make for people: stored once per action and place, sent by the gateway as documents.
create table artifacts (
  id         text primary key,
  action_id  text not null,
  place      int not null,
  turn_id    text not null,
  thread_id  text not null,
  user_key   text not null,
  name       text not null,
  mime_type  text not null,
  sha256     text not null,
  size_bytes int not null,
  bytes      bytea not null,
  created_at timestamptz not null default now(),
  unique (action_id, place)
);
alter table artifacts alter column bytes set storage external; -- most files are compressed already
create index artifacts_by_turn on artifacts (turn_id);
create index artifacts_by_age on artifacts (created_at);

-- Allocates the next thread of a person. Numbers are contiguous: the counter and the thread commit together.
create function thread_open(u text, c text, a text) returns text language plpgsql volatile as $$
declare num int; tid text;
begin
  insert into thread_sequences (user_key, last_n) values (u, 1)
    on conflict (user_key) do update set last_n = thread_sequences.last_n + 1
    returning last_n into num;
  tid := 'user_' || u || '_' || num;
  insert into threads (thread_id, user_key, n, chat_key, agent) values (tid, u, num, c, a);
  return tid;
end $$;

-- Marks a conversation as tainted by outside text. Idempotent: the newest time stays.
create function taint_thread(t text, source_name text, at timestamptz) returns void language sql volatile as $$
  insert into thread_taints as x (thread_id, source, first_at, last_at) values (t, source_name, at, at)
  on conflict (thread_id) do update set last_at = greatest(x.last_at, excluded.last_at)
$$;

-- True when the person typed the message: not forwarded, quoted, added to a file, or sent by a button.
create function typed_by_hand(envelope jsonb) returns boolean language sql immutable as $$
  select coalesce(envelope -> 'button', 'null') = 'null' and not envelope ? 'borrowed' and not envelope ? 'attachments'
$$;

-- Stores one checkpoint with its values and task writes, only while the person's lane has this epoch. The tables are those of LangGraph's
-- Postgres saver, which creates them when a worker starts.
--   in:  blobs as parallel arrays (channel, version, type, bytes), writes as parallel arrays (task, idx, channel, type, bytes)
--   out: false, with nothing written, when the lane was lost
create function checkpoint_put(
  u text, e bigint, thread text, head_id text, parent_id text, body jsonb, meta jsonb,
  blob_channels text[], blob_versions text[], blob_types text[], blob_bytes bytea[],
  write_tasks text[], write_idx int[], write_channels text[], write_types text[], write_bytes bytea[])
returns boolean language plpgsql volatile as $$
declare newest text;
begin
  perform 1 from lanes l where l.user_key = u and l.epoch = e and l.worker is not null for share;
  if not found then return false; end if;
  select c.checkpoint_id into newest from langgraph.checkpoints c
   where c.thread_id = thread and c.checkpoint_ns = '' order by c.number desc limit 1;
  if newest is distinct from parent_id and newest is distinct from head_id then return false; end if;
  insert into langgraph.checkpoint_blobs (thread_id, checkpoint_ns, channel, version, type, blob)
  select thread, '', x.channel, x.version, x.type, x.bytes
    from unnest(blob_channels, blob_versions, blob_types, blob_bytes) as x (channel, version, type, bytes)
  on conflict do nothing;
  if cardinality(write_tasks) > 0 then
    insert into langgraph.checkpoint_writes (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, blob)
    select thread, '', head_id, x.task, x.idx, x.channel, x.type, x.bytes
      from unnest(write_tasks, write_idx, write_channels, write_types, write_bytes) as x (task, idx, channel, type, bytes)
    on conflict do nothing;
  end if;
  insert into langgraph.checkpoints as c (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, checkpoint, metadata)
  values (thread, '', head_id, parent_id, body, meta)
  on conflict (thread_id, checkpoint_ns, checkpoint_id) do update set checkpoint = excluded.checkpoint, metadata = excluded.metadata;
  return true;
end $$;

-- Deletes all but the newest checkpoints of a thread, with the task writes and values that no remaining checkpoint refers to: values by their
-- version, messages by their number in the checkpoint's ranges. Safe during a turn, which refers only to the newest checkpoint and its own.
create function checkpoint_prune(thread text, keep int) returns void language plpgsql volatile as $$
begin
  with kept as materialized (
    select c.checkpoint_id, c.checkpoint from langgraph.checkpoints c
     where c.thread_id = thread and c.checkpoint_ns = '' order by c.number desc limit keep),
  versions as materialized (
    select distinct v.key as channel, v.value as version from kept k, jsonb_each_text(k.checkpoint -> 'channel_versions') v),
  ranges as materialized (
    select distinct m.key as channel, (m.value ->> n)::int as first, (m.value ->> (n + 1))::int as last
      from kept k, jsonb_each(coalesce(k.checkpoint -> 'messages', '{}')) m, generate_series(0, jsonb_array_length(m.value) - 2, 2) n),
  gone as (
    delete from langgraph.checkpoints c where c.thread_id = thread and c.checkpoint_ns = ''
       and not exists (select from kept k where k.checkpoint_id = c.checkpoint_id)),
  unwritten as (
    delete from langgraph.checkpoint_writes w where w.thread_id = thread and w.checkpoint_ns = ''
       and not exists (select from kept k where k.checkpoint_id = w.checkpoint_id))
  delete from langgraph.checkpoint_blobs b
   where b.thread_id = thread and b.checkpoint_ns = ''
     and case when b.version like 'message-%'
              then not exists (select from ranges r where r.channel = b.channel and substr(b.version, 9)::int between r.first and r.last)
              else not exists (select from versions v where v.channel = b.channel and v.version = b.version) end;
end $$;

-- Adds the number column to the table that a worker creates, once it exists. Idempotent. Older rows keep the order of their names, with each
-- checkpoint after its parent.
create function number_checkpoints() returns void language plpgsql as $$
declare first bigint;
begin
  perform 1 from pg_attribute a where a.attrelid = to_regclass('langgraph.checkpoints') and a.attname = 'number';
  if found or to_regclass('langgraph.checkpoints') is null then return; end if;
  alter table langgraph.checkpoints add column number bigint;
  update langgraph.checkpoints c set number = o.number
    from (select x.thread_id, x.checkpoint_ns, x.checkpoint_id,
                 row_number() over (order by greatest(x.checkpoint_id, x.parent_checkpoint_id),
                                             coalesce(x.parent_checkpoint_id > x.checkpoint_id, false), x.checkpoint_id) as number
            from langgraph.checkpoints x) o
   where c.thread_id = o.thread_id and c.checkpoint_ns = o.checkpoint_ns and c.checkpoint_id = o.checkpoint_id;
  select coalesce(max(c.number), 0) + 1 into first from langgraph.checkpoints c;
  alter table langgraph.checkpoints alter column number set not null;
  execute format('alter table langgraph.checkpoints alter column number add generated always as identity (start with %s)', first);
  create unique index checkpoints_by_number on langgraph.checkpoints (thread_id, checkpoint_ns, number);
end $$;
