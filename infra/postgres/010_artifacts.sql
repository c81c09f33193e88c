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
-- What is compressed already does not get smaller, and most files are.
alter table artifacts alter column bytes set storage external;
create index artifacts_by_turn on artifacts (turn_id);
create index artifacts_by_age on artifacts (created_at);
