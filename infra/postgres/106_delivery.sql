set local check_function_bodies = off;

-- Delivery: the gateway that holds a chat sends its messages one at a time, by priority and id.
create table chats (
  chat_key      text primary key,
  epoch         bigint not null default 0,
  sender        text,
  lease_until   timestamptz,
  not_before    timestamptz,
  woken_at      timestamptz,
  parked_at     timestamptz,
  parked_reason text,
  moved_to      text -- where a group went when Telegram gave it a new id
) with (fillfactor = 50);

-- Messages to people. A row is written before its wake-up is published, and settled with the gateway's receipt:
-- {"messageIds": [the channel's ids of the sent parts], "trying": the part with an unknown outcome, or null, "simpleFrom": the first part in
-- simple form, or null}. The rich and the simple form of a message have different parts.
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
  error      text,
  pressed    smallint, -- which button was pressed: the buttons of a message work once
  pressed_by text
);
create index outbox_open on outbox (chat_key, priority, id) where status in ('pending', 'sending');
create index outbox_slot on outbox (chat_key, slot, id desc) where slot is not null;
create index outbox_by_person on outbox (user_key, id desc);
create index outbox_of_programs_by_trace on outbox (trace_id) where chat_key like 'ingress:%';
create index outbox_of_programs_by_turn on outbox (turn_id) where chat_key like 'ingress:%';
create index outbox_undeliverable on outbox (chat_key, id) where status = 'undeliverable';

-- Row policies by service: see 110_jobs.sql.
alter table outbox enable row level security;
create policy all_services on outbox to signalbox_app using (true) with check (true);

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

-- Puts messages for people into the outbox, one row per key. Idempotent.
create function outbox_put(rows jsonb) returns table (id bigint, chat_key text) language sql volatile as $$
  insert into chats (chat_key) select distinct r ->> 'chatKey' from jsonb_array_elements(rows) r on conflict do nothing;
  insert into outbox (key, chat_key, user_key, thread_id, turn_id, trace_id, priority, slot, body)
  select r ->> 'key', r ->> 'chatKey', r ->> 'userKey', r ->> 'threadId', r ->> 'turnId', r ->> 'traceId',
         (r ->> 'priority')::smallint, r ->> 'slot', r -> 'body'
    from jsonb_array_elements(rows) with ordinality as x (r, position) order by position
  on conflict (key) do nothing
  returning outbox.id, outbox.chat_key
$$;

-- Puts messages into the outbox during a turn, only while the lane has this epoch. `ok` is false when the lane was lost.
create function outbox_say(u text, e bigint, rows jsonb) returns boolean language plpgsql volatile as $$
begin
  perform 1 from lanes l where l.user_key = u and l.epoch = e for share;
  if not found then return false; end if;
  perform outbox_put(rows);
  return true;
end $$;

-- Replaces a text that holds a secret, such as a code, by the text to keep after its delivery or failure.
create function outbox_forget() returns trigger language plpgsql as $$
begin
  new.body := (new.body - 'afterwards') || jsonb_build_object('text', new.body -> 'afterwards');
  return new;
end $$;
create trigger outbox_forget before update of status on outbox for each row
  when (new.status in ('sent', 'superseded', 'undeliverable', 'failed') and new.body ? 'afterwards') execute function outbox_forget();

-- Returns the chat of a topic: chats have keys `<channel>:<chat>`, topics `<channel>:<chat>/<topic>`. For a chat its own key.
create function chat_root(c text) returns text language sql immutable as $$ select split_part(c, '/', 1) $$;
create index chats_by_root on chats (chat_root(chat_key));

-- True when a chat has messages to deliver. Call it only under the chat's lock.
create function chat_has_open(c text) returns boolean language sql volatile as $$
  select exists (select 1 from outbox o where o.chat_key = c and o.status in ('pending', 'sending'))
$$;

-- Settles a chat's open rows as undeliverable, each with a dead letter.
create function chat_give_up(c text, why text) returns int language sql volatile as $$
  with given_up as (
    update outbox o set status = 'undeliverable', error = why where o.chat_key = c and o.status in ('pending', 'sending') returning o.*),
  letters as (
    insert into dead_letters (id, source, ref, user_key, reason, body)
    select 'dlq_out_' || g.id, 'outbound', g.id::text, g.user_key, why, jsonb_build_object('chatKey', g.chat_key, 'key', g.key, 'body', g.body)
      from given_up g
    on conflict do nothing)
  select count(*)::int from given_up
$$;

-- Picks the next row of a held chat and marks it as being sent: its outcome is unknown until a result arrives.
--   out: no row when nothing is due; else the outbox row, plus
--        ambiguous = an earlier try may have arrived; base = receipt of the message that this one edits, or null
-- A newer message of a slot replaces older ones. A slot that changed less than `slot_ms` ago waits. Progress without a message yet is sent in
-- the order of replies (5), because a new message below the answer would stay there.
create function chat_pick(c text, slot_ms int)
returns table (id bigint, user_key text, trace_id text, slot text, body jsonb, attempts int, age_ms bigint, receipt jsonb, ambiguous boolean, base jsonb)
language plpgsql volatile as $$
declare o outbox%rowtype;
begin
  update outbox old set status = 'superseded'
   where old.chat_key = c and old.slot is not null and old.status in ('pending', 'sending')
     and exists (select 1 from outbox n where n.chat_key = c and n.slot = old.slot and n.id > old.id and n.status in ('pending', 'sending', 'sent'));
  select * into o from outbox x
   where x.chat_key = c and x.status in ('pending', 'sending')
     and (x.slot is null or not exists (
       select 1 from outbox s where s.chat_key = c and s.slot = x.slot and s.status = 'sent' and s.sent_at > clock_timestamp() - slot_ms * interval '1 ms'))
   order by case when x.slot is null or exists (
       select 1 from outbox s where s.chat_key = c and s.slot = x.slot and s.status = 'sent')
     then x.priority else least(x.priority, 5) end, x.id limit 1;
  if not found then return; end if;
  update outbox x
     set status = 'sending', attempts = x.attempts + 1,
         receipt = coalesce(x.receipt, '{}'::jsonb)
                   || jsonb_build_object('messageIds', coalesce(x.receipt -> 'messageIds', '[]'::jsonb),
                                         'trying', jsonb_array_length(coalesce(x.receipt -> 'messageIds', '[]'::jsonb)))
   where x.id = o.id;
  return query select o.id, o.user_key, o.trace_id, o.slot, o.body, o.attempts + 1,
    (extract(epoch from clock_timestamp() - o.created_at) * 1000)::bigint,
    coalesce(o.receipt, '{"messageIds": [], "trying": null}'::jsonb),
    o.receipt ->> 'trying' is not null,
    case when o.slot is not null then
      (select s.receipt from outbox s where s.chat_key = c and s.slot = o.slot and s.status = 'sent' order by s.id desc limit 1) end;
end $$;

-- Takes a chat for gateway `g` if it is free, and picks its first row when `pick` is set.
--   out: state 'none' (busy, waiting, parked or empty; nothing is held), 'moved' (target says where to) or 'held';
--        epoch; item = the picked row or null
-- The row is locked before it is read. A plain conditional update would skip, without waiting, a chat whose holder is
-- just releasing it after having seen no more rows, and the new row would stay until the next sweep.
create function chat_begin(c text, g text, lease_ms int, pick boolean, slot_ms int)
returns table (state text, epoch bigint, target text, item json) language plpgsql volatile set enable_seqscan = off as $$
declare ch chats%rowtype;
begin
  select * into ch from chats x where x.chat_key = c for update;
  if not found or (ch.sender is not null and ch.lease_until > clock_timestamp()) or ch.not_before > clock_timestamp() then
    return query select 'none', null::bigint, null::text, null::json;
    return;
  end if;
  if ch.moved_to is not null then
    perform chat_move(c, ch.moved_to);
    return query select 'moved', null::bigint, ch.moved_to, null::json;
    return;
  end if;
  if ch.parked_at is null and c <> chat_root(c) then
    -- A topic without a row when its chat was parked.
    select x.parked_at, x.parked_reason into ch.parked_at, ch.parked_reason from chats x where x.chat_key = chat_root(c);
  end if;
  if ch.parked_at is not null then
    perform chat_give_up(c, ch.parked_reason);
    return query select 'none', null::bigint, null::text, null::json;
    return;
  end if;
  if not chat_has_open(c) then
    return query select 'none', null::bigint, null::text, null::json;
    return;
  end if;
  update chats x set epoch = x.epoch + 1, sender = g, lease_until = clock_timestamp() + lease_ms * interval '1 ms', not_before = null, woken_at = null
   where x.chat_key = c returning x.* into ch;
  return query select 'held', ch.epoch, null::text, case when pick then (select row_to_json(p) from chat_pick(c, slot_ms) p) end;
end $$;

-- Writes the result of a row under the epoch, and picks the next one when `pick` is set.
--   in:  result {id, status, receipt, error, uncounted} or null; status 'pending' leaves the row for a later try;
--        pause_ms: release the chat, and send nothing before that; null to go on
--   out: state 'lost' (another gateway holds the chat; nothing was written), 'released' (nothing left, or paused) or 'held';
--        item = the picked row or null (held without one: a slot waits for its second)
create function chat_next(c text, e bigint, result jsonb, pause_ms int, pick boolean, lease_ms int, slot_ms int)
returns table (state text, item json) language plpgsql volatile set enable_seqscan = off as $$
declare settled outbox%rowtype;
begin
  perform 1 from chats x where x.chat_key = c and x.epoch = e for update;
  if not found then
    return query select 'lost', null::json;
    return;
  end if;
  if result is not null then
    update outbox o
       set status = result ->> 'status', receipt = result -> 'receipt', error = result ->> 'error',
           sent_at = case when result ->> 'status' = 'sent' then clock_timestamp() end,
           attempts = o.attempts - case when (result ->> 'uncounted')::boolean then 1 else 0 end
     where o.id = (result ->> 'id')::bigint
    returning o.* into settled;
    if settled.status = 'failed' then
      insert into dead_letters (id, source, ref, user_key, reason, body)
      values ('dlq_out_' || settled.id, 'outbound', settled.id::text, settled.user_key, settled.error,
              jsonb_build_object('chatKey', settled.chat_key, 'key', settled.key, 'body', settled.body))
      on conflict do nothing;
    end if;
  end if;
  if pause_ms is not null or not chat_has_open(c) then
    update chats x set sender = null, lease_until = null, woken_at = null,
           not_before = case when pause_ms > 0 then clock_timestamp() + pause_ms * interval '1 ms' end
     where x.chat_key = c;
    return query select 'released', null::json;
    return;
  end if;
  update chats x set lease_until = clock_timestamp() + lease_ms * interval '1 ms' where x.chat_key = c;
  return query select 'held', case when pick then (select row_to_json(p) from chat_pick(c, slot_ms) p) end;
end $$;

-- Stores which parts of a row have arrived and which part is being sent, under the epoch. False when the chat was lost.
create function chat_note(c text, e bigint, row_id bigint, note jsonb) returns boolean language plpgsql volatile set enable_seqscan = off as $$
begin
  perform 1 from chats x where x.chat_key = c and x.epoch = e for share;
  if not found then return false; end if;
  update outbox o set receipt = note where o.id = row_id;
  return true;
end $$;

-- Extends the leases that still carry our epoch. Returns the chats that were lost.
create function chat_beat(g text, keys text[], epochs bigint[], lease_ms int) returns setof text language sql volatile as $$
  with mine as (select * from unnest(keys, epochs) as k (chat_key, epoch)),
  kept as (
    update chats x set lease_until = clock_timestamp() + lease_ms * interval '1 ms'
      from mine where x.chat_key = mine.chat_key and x.epoch = mine.epoch and x.sender = g
    returning x.chat_key)
  select mine.chat_key from mine where mine.chat_key not in (select chat_key from kept)
$$;

-- The channel does not let us write there any more, nor in any topic of that chat: what waits is given up. A message from there
-- undoes it.
create function chat_park(c text, why text) returns int language plpgsql volatile as $$
begin
  insert into chats (chat_key) values (chat_root(c)) on conflict do nothing;
  update chats x
     set parked_at = now(), parked_reason = why, epoch = x.epoch + 1, sender = null, lease_until = null, not_before = null
   where chat_root(x.chat_key) = chat_root(c);
  return (select sum(chat_give_up(x.chat_key, why)) from chats x where chat_root(x.chat_key) = chat_root(c));
end $$;

-- The channel lets us write to this chat and its topics again. What was given up since the last day goes out now, before all that is newer and
-- in its order; of what is older the chat is told how much it missed. Returns how many messages there are to send; again: 0.
create function chat_unpark(c text) returns int language plpgsql volatile as $$
declare reopened int; missed int; last outbox%rowtype;
begin
  update chats x set parked_at = null, parked_reason = null where chat_root(x.chat_key) = chat_root(c) and x.parked_at is not null;
  if not found then return 0; end if;
  update outbox o set status = 'pending', attempts = 0, error = null, priority = 0
   where o.chat_key in (select x.chat_key from chats x where chat_root(x.chat_key) = chat_root(c))
     and o.status = 'undeliverable' and o.created_at > now() - interval '1 day';
  get diagnostics reopened = row_count;
  select count(*) into missed from outbox o join dead_letters d on d.source = 'outbound' and d.ref = o.id::text and d.resolved_at is null
   where o.chat_key in (select x.chat_key from chats x where chat_root(x.chat_key) = chat_root(c))
     and o.status = 'undeliverable' and o.slot is null;
  if missed > 0 then
    select o.* into last from outbox o
     where o.chat_key in (select x.chat_key from chats x where chat_root(x.chat_key) = chat_root(c)) and o.status = 'undeliverable' order by o.id desc limit 1;
    perform outbox_put(jsonb_build_array(jsonb_build_object(
      'key', 'missed:' || last.id, 'chatKey', chat_root(c), 'userKey', last.user_key, 'traceId', last.trace_id, 'priority', 0,
      'body', jsonb_strip_nulls(jsonb_build_object('text', '…', 'buttons', '[]'::jsonb, 'missed', missed, 'language', user_language(last.user_key))))));
  end if;
  -- Their letters are moved aside: should one be given up again, it gets another.
  update dead_letters d set resolved_at = coalesce(d.resolved_at, now()), id = d.id || '.' || n.next, ref = d.ref || '.' || n.next
    from outbox o, lateral (select 1 + count(*) as next from dead_letters x where x.source = 'outbound' and x.ref like o.id || '.%') n
   where d.source = 'outbound' and d.ref = o.id::text and o.status in ('pending', 'undeliverable')
     and o.chat_key in (select x.chat_key from chats x where chat_root(x.chat_key) = chat_root(c));
  return reopened + least(missed, 1);
end $$;

-- A chat has a new id: what waits there and in its topics, its threads and its running work go along. Doing so twice changes nothing.
create function chat_move(old_key text, new_key text) returns void language plpgsql volatile as $$
declare gone text := chat_root(old_key); target text := chat_root(new_key); c text;
begin
  if gone = target then return; end if;
  insert into chats (chat_key) values (gone) on conflict do nothing;
  for c in select x.chat_key from chats x where chat_root(x.chat_key) = gone order by x.chat_key loop
    perform chat_move_one(c, target || substr(c, length(gone) + 1));
  end loop;
end $$;

-- The same for one key, of a chat or of a topic.
create function chat_move_one(old_key text, new_key text) returns void language plpgsql volatile as $$
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
end $$;

create function chat_sweep(channels text[], quiet_ms int, max_chats int) returns setof text language sql volatile as $$
  update chats x set woken_at = clock_timestamp()
   where x.chat_key in (
     select c.chat_key
       from (select o.chat_key, min(o.created_at) as oldest from outbox o where o.status in ('pending', 'sending') group by o.chat_key) w
       join chats c on c.chat_key = w.chat_key
      where split_part(c.chat_key, ':', 1) = any (channels)
        and (c.sender is null or c.lease_until < clock_timestamp())
        and (c.not_before is null and w.oldest < clock_timestamp() - quiet_ms * interval '1 ms' or c.not_before <= clock_timestamp())
        and (c.woken_at is null or c.woken_at < clock_timestamp() - quiet_ms * interval '1 ms')
      limit max_chats for update of c skip locked)
  returning x.chat_key
$$;

-- Accounts whose owner may have changed, such as a telephone number that somebody gave up. Such an account has no row in users, and so no
-- role anywhere, until its person or an admin confirms it.
create table vacated_accounts (
  user_key text primary key,
  account  jsonb not null,               -- its row of users
  why      text not null,
  since    timestamptz not null default now()
);

-- What a channel knows the owner of an account by, and the last event that said something of the owner.
create table account_marks (
  user_key text primary key,
  marks    jsonb not null default '{}',
  event    text
);

-- What is written for such an account is kept back, from whoever has it now; but not what a stranger there is told.
create function hold_for_owner() returns trigger language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if new.status in ('pending', 'sending') and new.key not like 'stranger:%'
     and exists (select from vacated_accounts v where private_chat(v.user_key) = chat_root(new.chat_key)) then
    new.status := 'undeliverable';
    new.error := 'its owner may have changed';
  end if;
  return new;
end $$;
revoke all on function hold_for_owner() from public;
create trigger hold_for_owner before insert or update of status on outbox for each row execute function hold_for_owner();
