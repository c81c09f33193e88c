-- Reminders, and orders that a person gave for later or for again and again.
create table schedules (
  schedule_id bigint generated always as identity primary key,
  action_id   text not null unique,       -- the action that made it, whose hash covers the task
  user_key    text not null,
  chat_key    text not null,
  chat_kind   text not null check (chat_kind in ('private', 'group')),
  thread_id   text not null,              -- the conversation where it was made; its agent gets the runs
  kind        text not null check (kind in ('reminder', 'task')),
  task        text not null check (task <> ''),
  pattern     text,                       -- a cron pattern, for what repeats
  at          timestamptz,                -- the moment, for what happens once
  zone        text not null,
  quiet       boolean not null default false, -- runs only while an incident is open
  role        text not null,              -- of its owner when it was made; with less, it pauses
  state       text not null default 'active' check (state in ('active', 'paused', 'over', 'removed')),
  next_at     timestamptz,
  asked_at    timestamptz,                -- its owner asked for a run now
  made_at     timestamptz not null default clock_timestamp(),
  check ((pattern is null) <> (at is null))
);
create index schedules_due on schedules (next_at) where state = 'active';
create index schedules_asked on schedules (asked_at) where asked_at is not null;
create index schedules_by_person on schedules (user_key) where state in ('active', 'paused');
create trigger effect_noted after insert on schedules for each row execute function effect_noted('action_id');

-- What came of each due time: exactly one row, whichever process took it.
create table schedule_runs (
  schedule_id bigint not null references schedules on delete cascade,
  due_at      timestamptz not null,
  outcome     text not null check (outcome in ('ran', 'told', 'quiet', 'late', 'busy')),
  missed      int not null default 0,     -- due times before this one that nothing ran at
  at          timestamptz not null default clock_timestamp(),
  primary key (schedule_id, due_at)
);

-- As before; schedules of the chat go along.
create or replace function chat_move_one(old_key text, new_key text) returns void language plpgsql volatile as $$
begin
  -- Where something goes is never a chat that is gone itself, so moves cannot go in circles.
  insert into chats (chat_key) values (new_key) on conflict (chat_key) do update set moved_to = null;
  update chats x
     set moved_to = new_key, epoch = x.epoch + 1, sender = null, lease_until = null, not_before = null where x.chat_key = old_key;
  update outbox o set chat_key = new_key, status = 'pending' where o.chat_key = old_key and o.status in ('pending', 'sending');
  update threads t set status = 'closed', ended_at = now()
   where t.chat_key = old_key and t.status = 'open'
     and exists (select 1 from threads n where n.chat_key = new_key and n.status = 'open' and n.user_key = t.user_key and n.agent = t.agent);
  update threads t set chat_key = new_key where t.chat_key = old_key;
  update runs r set chat_key = new_key where r.chat_key = old_key and r.status in ('queued', 'running');
  update schedules s set chat_key = new_key where s.chat_key = old_key;
end $$;
