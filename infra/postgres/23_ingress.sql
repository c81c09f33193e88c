-- Ingress: what other programs send. The words of an event are in the inbox, under the event's id.

create table ingress_events (
  event_id    text primary key,
  source      text not null,
  callback    text,                      -- where its answers go; null: they are read
  received_at timestamptz not null default now()
);

-- What makes a request an event that came before: its signature, and the key that its sender gave it.
create table ingress_keys (
  source      text not null,
  key         text not null,
  event_id    text not null,
  body_sha256 text not null,
  claimed_at  timestamptz not null default now(),
  primary key (source, key)
);
create index ingress_keys_by_time on ingress_keys (source, claimed_at);

-- An answer is found by the trace and the turn of its event. Only rows of programs are in these.
create index inbox_of_programs_by_trace on inbox (trace_id) where user_key like 'ingress-%';
create index inbox_of_programs_by_turn on inbox (turn_id) where user_key like 'ingress-%';
create index outbox_of_programs_by_trace on outbox (trace_id) where chat_key like 'ingress:%';
create index outbox_of_programs_by_turn on outbox (turn_id) where chat_key like 'ingress:%';

-- Names a request: the event that it is, and whether that is a new one. The same signature is the same event, and so is the same key
-- with the same body, for `kept_ms`; a sender whose request got no answer may send it again.
--   out: event; state 'new', 'again' or 'other body' (the key belongs to an event with another body; nothing was written)
-- The lock lets requests of one source that come at once be told apart. It is held for these few statements.
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
