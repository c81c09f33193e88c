-- Data of channels: voice notes, sign-ins and pages of the web channel, and events of other programs.
set local check_function_bodies = off;

-- Voice notes that are transcribed, one row per message that consists of one.
--   waiting → (claimed: tries, lease_until) → asked → confirmed | declined | void
--                                           └→ failed: the person was told why
create table voice_notes (
  inbox_id    bigint primary key references inbox (id),
  status      text not null default 'waiting' check (status in ('waiting', 'asked', 'confirmed', 'declined', 'void', 'failed')),
  -- Claims so far. It is the fencing token too: what another claim has taken over writes nothing any more.
  tries       int not null default 0,
  lease_until timestamptz,
  -- What was heard, without secrets, while its sender is asked about it.
  transcript  text,
  asked_at    timestamptz,
  -- The newest message of its sender at that time: what they write after it voids the question.
  asked_after bigint
);
create index voice_notes_waiting on voice_notes (inbox_id) where status = 'waiting';
create index voice_notes_asked on voice_notes (inbox_id) where status = 'asked';

-- A signed-in browser of one identity. Only the hash of its token is stored. It is signed out when the identity loses its role.
create table web_logins (
  token_hash text primary key,
  user_key   text not null references users (user_key) on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index web_logins_by_user on web_logins (user_key);
create index web_logins_by_expiry on web_logins (expires_at);

-- One row per chat with a page. Writers of patches lock it, so that patches become visible in the order of their numbers.
create table web_chats (
  chat_key text primary key,
  seq      bigint not null default 0, -- of the newest patch
  dropped  bigint not null default 0  -- patches up to this one may have been deleted: who has seen less begins anew
) with (fillfactor = 50);
create index web_chats_by_root on web_chats (chat_root(chat_key));

-- Components of a chat's pages, one row each: the newest state, with the number of the patch that set it.
create table web_patches (
  chat_key     text not null references web_chats (chat_key),
  component_id text not null,          -- `<outbox id>.<place>`, or `in.<id>` for what the person wrote
  seq          bigint not null,
  place        bigint not null,        -- the number that it began with: components stand in this order
  outbox_id    bigint,                 -- the row whose message it shows now; null for what the person wrote
  patch        jsonb,                  -- {type, props}; null: it was taken away
  afterwards   text,                   -- what takes the place of a text that holds a secret, such as a code, ten minutes after `at`
  at           timestamptz not null default clock_timestamp(),
  primary key (chat_key, component_id)
);
create unique index web_patches_by_seq on web_patches (chat_key, seq);
create index web_patches_to_forget on web_patches (at) where afterwards is not null;

-- Returns the number of a chat's next patch, reserved for the caller until its transaction ends.
create function web_next(c text) returns bigint language plpgsql volatile as $$
declare n bigint;
begin
  insert into web_chats as x (chat_key) values (c) on conflict do nothing;
  update web_chats x set seq = x.seq + 1 where x.chat_key = c returning x.seq into n;
  return n;
end $$;

-- Shows a component. An existing or removed component stays as it is, so repeating a send shows nothing twice. Every 64th patch deletes all but
-- the newest 400 components.
create function web_show(c text, cid text, row_id bigint, what jsonb, later text) returns void language plpgsql volatile as $$
declare n bigint; oldest bigint; gone bigint;
begin
  n := web_next(c);
  insert into web_patches (chat_key, component_id, seq, place, outbox_id, patch, afterwards) values (c, cid, n, n, row_id, what, later)
  on conflict do nothing;
  if n % 64 <> 0 then return; end if;
  select x.place into oldest from web_patches x where x.chat_key = c order by x.place desc offset 400 limit 1;
  with deleted as (delete from web_patches x where x.chat_key = c and x.place <= oldest returning x.seq)
  select max(d.seq) into gone from deleted d;
  update web_chats x set dropped = greatest(x.dropped, gone) where x.chat_key = c;
end $$;

-- Replaces a component; null removes it. False when it does not exist any more.
create function web_change(c text, cid text, row_id bigint, what jsonb, later text) returns boolean language plpgsql volatile as $$
begin
  perform 1 from web_chats x where x.chat_key = c for update;
  if not exists (select from web_patches x where x.chat_key = c and x.component_id = cid and x.patch is not null) then return false; end if;
  update web_patches x set seq = web_next(c), outbox_id = row_id, patch = what, afterwards = later, at = case when later is null then x.at else clock_timestamp() end
   where x.chat_key = c and x.component_id = cid;
  return true;
end $$;

-- Disables the buttons of a component; the pressed one stays visible.
create function web_press(c text, cid text) returns boolean language plpgsql volatile as $$
declare chosen smallint;
begin
  perform 1 from web_chats x where x.chat_key = c for update;
  select o.pressed into chosen from web_patches x join outbox o on o.id = x.outbox_id where x.chat_key = c and x.component_id = cid;
  update web_patches x
     set seq = web_next(c),
         patch = case when chosen is null then jsonb_set(x.patch, '{props,buttons}', '[]')
                      else jsonb_set(x.patch, '{props,pressed}', to_jsonb(chosen)) end
   where x.chat_key = c and x.component_id = cid and jsonb_array_length(x.patch -> 'props' -> 'buttons') > 0;
  return found;
end $$;

-- Shows a message that a person typed on a page, in the transaction that admits it: above its answer, as stored without secrets and codes, and
-- without marks of step-up codes. Its update id is `<session>:<the page's id>`; text after a command in one message is a row of its own.
create function web_echo() returns trigger language plpgsql as $$
declare id text := substring(new.update_id from '^[^:]*:([^:]+)');
begin
  perform web_show(new.chat_key, 'in.' || id || case when new.update_id ~ ':[^:]+:text$' then '.text' else '' end, null,
    jsonb_build_object('type', 'Message', 'props', jsonb_build_object('from', 'person', 'messageId', id, 'buttons', '[]'::jsonb,
      'text', coalesce(regexp_replace(new.envelope ->> 'text', 'secret:step-up-code-[0-9a-z]{8}', '••••••', 'g'), '/' || (new.envelope ->> 'command')))), null);
  return null;
end $$;
create trigger web_echo after insert on inbox for each row
  when (new.channel = 'web' and new.kind in ('message', 'command') and coalesce(new.envelope -> 'button', 'null') = 'null'
        and new.reason is distinct from 'stranger')
  execute function web_echo();

-- Replaces texts that hold a secret by the text to keep. Returns the changed chats.
create function web_forget() returns setof text language plpgsql volatile as $$
declare old record;
begin
  for old in select x.chat_key, x.component_id from web_patches x
              where x.afterwards is not null and x.at < clock_timestamp() - interval '10 minutes'
              order by x.chat_key, x.component_id limit 100 loop
    perform 1 from web_chats x where x.chat_key = old.chat_key for update;
    update web_patches x set seq = web_next(old.chat_key), patch = jsonb_set(x.patch, '{props,text}', to_jsonb(x.afterwards)), afterwards = null
     where x.chat_key = old.chat_key and x.component_id = old.component_id and x.afterwards is not null;
    return next old.chat_key;
  end loop;
end $$;

-- Ingress: events of other programs. The text of an event is in the inbox, under the event's id.
create table ingress_events (
  event_id    text primary key,
  source      text not null,
  callback    text,                      -- where its answers go; null: they are read
  received_at timestamptz not null default now()
);

-- Marks by which a repeated request is recognized: its signature, and the key that its sender gave it.
create table ingress_keys (
  source      text not null,
  key         text not null,
  event_id    text not null,
  body_sha256 text not null,
  claimed_at  timestamptz not null default now(),
  primary key (source, key)
);
create index ingress_keys_by_time on ingress_keys (source, claimed_at);

-- Finds or stores the event of a request. Equal signatures mean the same event, and so does an equal key with an equal body within `kept_ms`,
-- because a sender without an answer may repeat its request.
--   out: event; state 'new', 'again' or 'other body' (the key belongs to an event with another body; nothing was written)
-- The lock orders concurrent requests of one source.
create function ingress_claim(src text, signature text, given_key text, hash text, new_id text, reply_to text, kept_ms int)
returns table (event text, state text) language plpgsql volatile as $$
declare sent ingress_keys%rowtype; keyed ingress_keys%rowtype;
begin
  perform pg_advisory_xact_lock(hashtextextended('ingress ' || src, 0));
  delete from ingress_keys k where k.source = src and k.claimed_at < clock_timestamp() - kept_ms * interval '1 ms';
  select * into sent from ingress_keys k where k.source = src and k.key = 'signature ' || signature;
  if found then
    return query select sent.event_id, 'again';
    return;
  end if;
  select * into keyed from ingress_keys k where k.source = src and k.key = 'key ' || given_key;
  if found and keyed.body_sha256 <> hash then
    return query select keyed.event_id, 'other body';
    return;
  end if;
  if not found then
    insert into ingress_events (event_id, source, callback) values (new_id, src, reply_to);
    if given_key is not null then
      insert into ingress_keys (source, key, event_id, body_sha256) values (src, 'key ' || given_key, new_id, hash);
    end if;
  end if;
  insert into ingress_keys (source, key, event_id, body_sha256)
  values (src, 'signature ' || signature, coalesce(keyed.event_id, new_id), hash);
  return query select coalesce(keyed.event_id, new_id), case when keyed.event_id is null then 'new' else 'again' end;
end $$;
