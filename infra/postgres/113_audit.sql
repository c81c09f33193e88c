-- Audit events, in an order that cannot be changed: see docs/audit.md.
set local check_function_bodies = off;

-- One row per event, written in the transaction of what it records. The sealer gives it a place in the order later.
create table audit_events (
  event_id       bigint generated always as identity primary key,
  recorded_at    timestamptz not null default clock_timestamp(),
  kind           text not null check (kind ~ '^[a-z_]+\.[a-z_]+$'),
  actor          text not null check (actor <> ''),
  thread_id      text,
  turn_id        text,
  action_id      text,
  approval_id    text,
  policy_version text,
  written_by     text, -- the role whose rights the connection had, and then a part of what is hashed; null before version 0.2
  -- The edge allows 64 kB of JSON; this is what may become of it, with spaces and escapes.
  data           jsonb not null check (jsonb_typeof(data) = 'object' and octet_length(data::text) <= 262144)
);
create index audit_events_by_time on audit_events (recorded_at);
create index audit_events_by_thread on audit_events (thread_id, event_id) where thread_id is not null;
create index audit_events_by_action on audit_events (action_id) where action_id is not null;

-- Unsealed events. A separate table instead of a flag, so that events are never updated.
create table audit_unsealed (
  event_id bigint primary key
);

-- The chain: without gaps, and each row's hash covers the previous row. shared/safety/src/audit/event-json.ts defines the hashed text.
create table audit_chain (
  seq       bigint primary key check (seq > 0),
  event_id  bigint not null unique,
  leaf_hash bytea not null check (octet_length(leaf_hash) = 32),
  hash      bytea not null check (octet_length(hash) = 32)
);

-- Signed states of the chain, equal to those in the file outside of this database.
create table audit_checkpoints (
  size       bigint primary key check (size > 0),
  root_hash  bytea not null,
  chain_hash bytea not null,
  signed_at  text not null,
  key_id     text not null,
  signature  bytea not null
);

-- The id of this history, part of every checkpoint, so that files of two installations cannot be confused.
create table audit_log (
  only_row   boolean primary key default true check (only_row),
  log_id     uuid not null default gen_random_uuid(),
  created_at timestamptz not null default now()
);
insert into audit_log default values;

-- Refuses changes of the past. Superusers can disable triggers; `signalbox audit verify` detects that.
create function audit_refuse() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  raise exception '% of % refused: what was recorded stays as it is', tg_op, tg_table_name
    using errcode = 'insufficient_privilege',
          hint = 'To correct a record, append an event that says what is wrong with it. docs/audit.md says how old records are kept.';
end $$;
create trigger audit_events_stay before update or delete or truncate on audit_events for each statement execute function audit_refuse();
create trigger audit_chain_stays before update or delete or truncate on audit_chain for each statement execute function audit_refuse();
create trigger audit_checkpoints_stay before update or delete or truncate on audit_checkpoints for each statement execute function audit_refuse();
create trigger audit_log_stays before insert or update or delete or truncate on audit_log for each statement execute function audit_refuse();

-- Appends events, without a lock that another call would wait for. In plpgsql because plain SQL keeps no plans before Postgres 18.
--   in: array of {kind, actor, threadId, turnId, actionId, approvalId, policyVersion, data}; the last six except data may be null
-- Refuses kinds and actors that audit_may does not allow the caller. The setting keeps the generic plan: a custom one looks cheaper but would be
-- made for each call.
create function audit_append(events jsonb) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  -- The role that was taken, else the login. Nobody takes a role of which their login is no member; the current user is the owner here.
  writer  text := coalesce(nullif(current_setting('role'), 'none'), session_user);
  refused text;
begin
  perform from jsonb_array_elements(events) e where public.audit_may(writer, e ->> 'kind', e ->> 'actor') is not true;
  if found then
    -- A login that took no role records what the roles that it is a member of may.
    select e ->> 'kind' into refused from jsonb_array_elements(events) e
     where not exists (select from pg_roles r where starts_with(r.rolname, 'signalbox_') and pg_has_role(writer, r.oid, 'usage')
                          and public.audit_may(r.rolname, e ->> 'kind', e ->> 'actor'))
     limit 1;
    if found then
      raise exception '% may not record % in this name', writer, refused using errcode = 'insufficient_privilege';
    end if;
  end if;
  with written as (
    insert into public.audit_events (kind, actor, thread_id, turn_id, action_id, approval_id, policy_version, data, written_by)
    select e ->> 'kind', e ->> 'actor', e ->> 'threadId', e ->> 'turnId', e ->> 'actionId', e ->> 'approvalId', e ->> 'policyVersion', e -> 'data',
           writer
      from jsonb_array_elements(events) with ordinality as given (e, n) order by n
    returning event_id)
  insert into public.audit_unsealed (event_id) select event_id from written;
end $$;

-- Gives unsealed events the places from `first_seq` on, in the order of the arrays. Accepts only leaf form 2, which hashes `written_by`.
--   out: the hash of the last event; null, with nothing written, when `first_seq` is not the next place (another sealer was first)
--   fails when an event does not exist or has a place already
-- The setting forbids sequential scans: plans last for a session, and a backlog begins as an empty table.
create function audit_seal(first_seq bigint, event_ids bigint[], leaf_hashes bytea[], leaf_form int) returns bytea
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  last_seq  bigint;
  last_hash bytea;
  taken     bigint;
  place     record;
begin
  if leaf_form is distinct from 2 then raise exception 'events are hashed in form 2 here, and not in form %', leaf_form; end if;
  -- One at a time. A call that waited sees what the other wrote: each statement here has a snapshot of its own.
  perform pg_advisory_xact_lock(hashtextextended('signalbox audit seal', 0));
  select c.seq, c.hash into last_seq, last_hash from public.audit_chain c order by c.seq desc limit 1;
  if first_seq <> coalesce(last_seq, 0) + 1 then return null; end if;
  last_hash := coalesce(last_hash, '\x'::bytea);
  with gone as (delete from public.audit_unsealed u where u.event_id = any (event_ids) returning 1)
  select count(*) into taken from gone;
  if taken <> cardinality(event_ids) or taken <> cardinality(leaf_hashes) then
    raise exception 'of % events with % hashes, % were waiting for their place', cardinality(event_ids), cardinality(leaf_hashes), taken;
  end if;
  for place in select * from unnest(event_ids, leaf_hashes) with ordinality as given (event_id, leaf_hash, n) order by n loop
    last_hash := sha256('\x02'::bytea || last_hash || place.leaf_hash);
    insert into public.audit_chain (seq, event_id, leaf_hash, hash)
    values (first_seq + place.n - 1, place.event_id, place.leaf_hash, last_hash);
  end loop;
  return last_hash;
end $$;

-- Stores a signed checkpoint of the chain at `p_size`. Idempotent; a second signature for a size is ignored.
create function audit_checkpoint(p_size bigint, p_root bytea, p_chain bytea, p_at text, p_key text, p_signature bytea) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  if not exists (select from public.audit_chain c where c.seq = p_size and c.hash = p_chain) then
    raise exception 'the order does not have this hash at %', p_size;
  end if;
  insert into public.audit_checkpoints (size, root_hash, chain_hash, signed_at, key_id, signature)
  values (p_size, p_root, p_chain, p_at, p_key, p_signature)
  on conflict do nothing;
end $$;

-- True when a role may record events of this kind by this actor; null for other roles. `migrate` fills it in from
-- shared/store/src/migrations/service-kinds.ts.
create function audit_may(writer text, kind text, actor text) returns boolean language sql immutable parallel safe as $$ select true $$;
revoke all on audit_events, audit_unsealed, audit_chain, audit_checkpoints, audit_log from public, signalbox_app;
grant select on audit_events, audit_unsealed, audit_chain, audit_checkpoints, audit_log to signalbox_app;
revoke all on function audit_append(jsonb), audit_seal(bigint, bigint[], bytea[], int), audit_checkpoint(bigint, bytea, bytea, text, text, bytea) from public;
grant execute on function audit_append(jsonb), audit_seal(bigint, bigint[], bytea[], int), audit_checkpoint(bigint, bytea, bytea, text, text, bytea) to signalbox_app;
