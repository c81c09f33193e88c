-- Brings a database that ran migrations 01 to 34, or up to 52, to the tables of version 0.2. `migrate` copies the database first, and
-- makes the functions of the families anew after this has run. Each statement may run on a database that has its change already.

-- Where a channel is opened is published anew by each gateway at its start.
delete from settings where key like 'channel_link:%';
-- Names as channels gave them, without what a terminal obeys.
update users set name = regexp_replace(name, '[\u0001-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]', ' ', 'g')
 where name ~ '[\u0001-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]';

create table if not exists vacated_accounts (
  user_key text primary key,
  account  jsonb not null,
  why      text not null,
  since    timestamptz not null default now()
);
create table if not exists account_marks (
  user_key text primary key,
  marks    jsonb not null default '{}',
  event    text
);
alter table incidents add column if not exists news jsonb, add column if not exists waits_since timestamptz;
create index if not exists incidents_waiting on incidents (waits_since) where waits_since is not null;
create index if not exists outbox_undeliverable on outbox (chat_key, id) where status = 'undeliverable';
alter table audit_events add column if not exists written_by text;
alter table artifacts alter column bytes set storage external;

-- Functions whose parameters or results have changed.
drop function if exists chat_unpark(text);
drop function if exists audit_seal(bigint, bigint[], bytea[]);

-- The functions of the families are made here.

revoke all on function find_recipients(text[]), hold_for_owner(), audit_seal(bigint, bigint[], bytea[], int) from public;
grant execute on function find_recipients(text[]), audit_seal(bigint, bigint[], bytea[], int) to signalbox_app;
create or replace trigger hold_for_owner before insert or update of status on outbox for each row execute function hold_for_owner();
create or replace trigger grant_only_falls before update of uses_left on grants
  for each row when (new.uses_left > old.uses_left) execute function grant_only_falls();
select number_checkpoints();
